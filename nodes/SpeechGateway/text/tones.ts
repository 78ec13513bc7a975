/**
 * The tone words of fish-speech's documentation, in English and in the languages of its translations, and their forms
 * in scripts (`sighs`, `whispered`). A model may understand others.
 */
const TONES = new Set(
	(
		'angry sad disdainful excited surprised satisfied unhappy anxious hysterical delighted scared worried indifferent upset ' +
		'impatient nervous guilty scornful frustrated depressed panicked furious empathetic embarrassed reluctant disgusted ' +
		'keen moved proud relaxed grateful confident interested curious confused joyful disapproving negative denying ' +
		'astonished serious sarcastic conciliative comforting sincere sneering hesitating yielding painful awkward amused ' +
		'happy calm resigned regretful sympathetic compassionate contemptuous determined optimistic pessimistic nostalgic ' +
		'lonely bored jealous hopeful thoughtful tired sleepy warm cold cheerful playful gentle tender soft softly loud loudly ' +
		'quiet quietly slow slowly fast quickly neutral friendly romantic dramatic mysterious breathy hoarse emphatic ' +
		'enthusiastic melancholic bitter desperate fearful afraid shy annoyed irritated shocked ashamed content sorrowful ' +
		'uncertain doubtful pleading begging teasing mocking ironic stern firm urgent rushed breathless solemn tense angrily ' +
		'sadly happily calmly excitedly nervously seriously sarcastically gently tenderly cheerfully dramatically ' +
		'soft-spoken pause break long-break laughter applause crowd-laughing audience-laughing background-laughter ' +
		'hurry hurried low deep high ' +
		'short-pause long-pause audience-laughter emphasis tsk interrupting echo delight volume-up volume-down low-volume ' +
		'low-voice pitch-up pitch-down strong-accent professional-broadcast ' +
		// German
		'glücklich fröhlich traurig wütend ärgerlich aufgeregt flüsternd lachend seufzend schreiend rufend leise laut ernst sanft ' +
		'ruhig überrascht nervös ängstlich weinend lacht seufzt flüstert kichernd ' +
		// French
		'heureux heureuse joyeux triste fâché colère excité chuchotant riant soupirant criant doucement sérieux calme surpris rit ' +
		'soupire chuchote ' +
		// Spanish, Portuguese, Italian
		'feliz contento alegre triste enfadado enojado emocionado susurrando riendo suspirando gritando suave serio tranquilo ' +
		'sorprendido zangado animado sussurrando rindo sério calmo surpreso felice arrabbiato eccitato ridendo sospirando ' +
		'urlando sottovoce dolce tranquillo sorpreso ' +
		// Russian
		'радостно грустно печально сердито взволнованно шёпотом шепотом смеясь вздыхая крича тихо громко серьёзно мягко спокойно ' +
		// Arabic
		'سعيد حزين غاضب متحمس همس يضحك ضحك تنهد صراخ جاد هادئ ' +
		// Chinese
		'生气 伤心 兴奋 惊讶 满意 高兴 害怕 担心 沮丧 紧张 挫败 郁闷 同情 尴尬 厌恶 感动 自豪 放松 感激 自信 感兴趣 好奇 困惑 快乐 开心 ' +
		'难过 愤怒 悲伤 平静 温柔 鄙视 不开心 焦虑 歇斯底里 冷漠 不耐烦 内疚 轻蔑 恐慌 不情愿 热衷 不赞成 消极 否认 震惊 严肃 讽刺 安抚 ' +
		'安慰 真诚 冷笑 犹豫 屈服 痛苦 觉得有趣 急促的语调 喊叫 尖叫 耳语 低语 低声 小声 轻声 柔和的语调 笑 笑声 大笑 轻笑 抽泣 大声哭泣 哭泣 叹息 叹气 喘息 ' +
		'呻吟 人群笑声 背景笑声 观众笑声 ' +
		// Japanese
		'怒った 怒り 悲しい 興奮した 興奮 驚いた 驚き 満足した 満足 喜んだ 喜び 恐れた 心配した 心配 動揺した 緊張した イライラした 憂鬱な ' +
		'共感的な 恥ずかしい 嫌悪した 感動した 感動 誇らしい リラックスした 感謝する 感謝 自信のある 興味のある 好奇心のある 混乱した ' +
		'嬉しい 幸せ 楽しい 真剣な 真剣 皮肉な 急いだトーン 叫ぶ 悲鳴 囁く ささやく 柔らかいトーン 優しい 笑う 笑い くすくす笑う すすり泣く ' +
		'大声で泣く 泣く ため息 息切れ うめく 大声で 小声で 明るい声 ' +
		// Korean
		'화난 슬픈 흥분한 놀란 만족한 기쁜 행복한 무서워하는 걱정하는 속상한 긴장한 좌절한 우울한 감동한 자랑스러운 편안한 감사하는 진지한 ' +
		'속삭이기 외치기 비명지르기 웃음 웃으며 킥킥거림 흐느낌 한숨 헐떡거림 신음 차분한 부드러운'
	).split(' '),
);

/** Sounds and ways of speaking, in all verb forms. */
const SOUNDS =
	/^(?:laugh|chuckl|giggl|sigh|whisper|shout|scream|sob|gasp|groan|moan|yell|murmur|mumbl|mutter|pant|yawn|cough|sneez|cr|weep|sniff|sniffl|snort|scoff|hum|humm|sing|inhal|exhal|breath|snicker|shriek|growl|whimper|stammer|stutter|grin|smil|smirk|hesitat|clap|gulp|tremb|trembl|laughs? out)(?:e|es|s|y|ies|ied|ed|d|ing|ying)?$|^clear(?:s|ing)? throat$/;
/** Words around a tone that change it, but not that it is one: `very sad`, `in a hurry tone`. */
const AROUND =
	/^(?:(?:very|slightly|a little|a bit|quite|really|so|extremely|more|softly|loudly|quietly|nervously|in an?|with an?|speaking|crowd|audience|background) )+|(?: (?:tone|voice|softly|loudly|quietly|nervously|heavily|deeply|slowly|out loud|loud|tone of voice))+$/g;

/** The longest content of a tone tag, UTF-16 units. */
const MAX_TAG_LENGTH = 60;

const isKnown = (words: string): boolean =>
	TONES.has(words.replace(/ /g, '-')) || SOUNDS.test(words) || TONES.has(words);

/** Tones that are everyday words in round brackets. */
const ALSO =
	/^(?:deadpan|mischievous|appalled|wheez(?:es|ing)|swallows|flatly|hesitant|wistful|eager)$/;
/** `strong French accent`, but not `the accent`. */
const ACCENT =
	/^(?!(?:the|an?|his|her|its|their|our|my|your|this|that|no|any|with|of|acute|grave)\b)(?:\p{L}{2,20} ){1,3}accent$/u;
/** `-ly` behind the forms that an adjective takes before it: happily, gently, sarcastically. */
const ADVERB = /^\p{L}{3,20}ly$/u;

/**
 * Whether words are a tone in a place where nothing else stands: `starts laughing`, `laughs harder`, `sighs heavily`,
 * `mischievously`, `happy gasp`, `strong French accent`.
 */
function isDerived(words: string): boolean {
	if (ALSO.test(words) || ACCENT.test(words)) return true;
	const stem = words.slice(0, -2);
	const adjectives = [stem, stem.replace(/i$/, 'y'), `${stem}e`, stem.replace(/al$/, '')];
	if (ADVERB.test(words) && adjectives.some((one) => TONES.has(one) || ALSO.test(one))) return true;
	const [first, ...others] = words.split(' ');
	const rest = others.join(' ');
	if (/^(?:starts|begins|continues)$/.test(first)) return SOUNDS.test(rest.replace(/^to /, ''));
	if (SOUNDS.test(rest)) return TONES.has(first) || ALSO.test(first);
	return SOUNDS.test(first) && (/^(?:harder|louder|again)$/.test(rest) || ADVERB.test(rest));
}

/**
 * Whether the content of brackets is a known tone: `happy`, `very sad`, `in a hurry tone`, `sighs, tired`. `derived`: or a
 * form of one, which counts in square brackets and behind a speaker's name alone.
 */
export function isTone(content: string, forms: 'known' | 'derived' = 'known'): boolean {
	if (content.length > MAX_TAG_LENGTH) return false;
	const parts = content
		.toLowerCase()
		.split(/\s*(?:[,，、;]\s*(?:(?:and|then)\s)?|\b(?:and|then)\b)\s*/);
	return parts
		.map((part) => part.trim().replace(/\s+/g, ' '))
		.every((part) => {
			const bare = part.replace(AROUND, '');
			return (
				isKnown(part) || isKnown(bare) || (forms === 'derived' && [part, bare].some(isDerived))
			);
		});
}
