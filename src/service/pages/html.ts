import { html, raw } from 'hono/html';

/** Markup. All texts in `html` are escaped. */
export type Html = ReturnType<typeof html>;

/** Empty markup. */
export const NOTHING: Html = raw('');

export { html };
