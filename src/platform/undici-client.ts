/**
 * The client of undici, imported from its file: the rest of the package takes three times as long to load. Undici does
 * not export this file officially; the pinned version has it. Without it, `import { Client } from 'undici'` is the same.
 */
export { default as Client } from 'undici/lib/dispatcher/client.js';
