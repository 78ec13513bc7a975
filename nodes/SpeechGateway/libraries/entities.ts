export { decodeHTMLStrict } from 'entities';
