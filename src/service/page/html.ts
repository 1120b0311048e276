import { html, raw } from 'hono/html';

/** Markup. Every text put into `html` is escaped. */
export type Html = ReturnType<typeof html>;

/** Nothing at all, where something may stand. */
export const NOTHING: Html = raw('');

export { html };
