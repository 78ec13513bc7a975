/** Times as transcripts write them: `0:12`, `01:02:03,5`, `[00:12 - 00:15]`, `12.05.24, 10:31 PM`, `75s`, `1m 15s`. */
const CLOCK = String.raw`(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?[ \t]{1,3})?\d{1,3}(?::\d{2}){1,2}(?:[.,]\d{1,3})?(?:[ \t]?[AaPp]\.?[Mm]\.?)?`;
const WRITTEN_TIME = String.raw`(?:${CLOCK}|(?:\d{1,3}[ \t]?m(?:in)?[ \t]?)?\d{1,5}(?:[.,]\d{1,3})?[ \t]?s(?:ec)?)`;

/** One time, or two with a dash or an arrow between. */
export const TIME_RANGE = String.raw`${WRITTEN_TIME}(?:[ \t]{0,3}(?:--?>|[-–—→])[ \t]{0,3}${WRITTEN_TIME})?`;
