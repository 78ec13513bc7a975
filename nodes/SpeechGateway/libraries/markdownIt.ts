export { default as MarkdownIt, type Env, type StateCore, type Token } from 'markdown-it';
