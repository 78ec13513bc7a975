export { type DefaultTreeAdapterTypes as Tree, parseFragment } from 'parse5';
