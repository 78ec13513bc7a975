export { createParser } from 'eventsource-parser';
