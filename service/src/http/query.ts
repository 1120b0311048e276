import { type Context } from 'hono';
import { type FieldError } from '../domain/fields.ts';
import { Refusal } from './problems.ts';
import { DEFAULT_PAGE_LIMIT, PAGE_LIMIT, isUuid, LONGEST_SEARCH } from '../db/page.ts';
import { quotedValue } from './body.ts';

/** A parameter of the route's path. @throws if the path does not name it */
export function pathParameter(c: Context, name: string): string {
  const value = c.req.param(name);
  if (value === undefined) throw new Error(`The path of the route has no parameter "${name}".`);
  return value;
}

/** Query parameters. A malformed one is refused, since ignoring it would change the meaning of the request. */

type Readers<Values> = { readonly [Name in keyof Values]: (c: Context) => Values[Name] };

/** @throws Refusal that lists every invalid parameter */
export function queryIn<Values extends object>(c: Context, readers: Readers<Values>): Values {
  const errors: FieldError[] = [];
  const values: Partial<Values> = {};
  for (const name in readers) {
    try {
      values[name] = readers[name](c);
    } catch (error) {
      if (!(error instanceof InvalidParameter)) throw error;
      errors.push(error.error);
    }
  }
  const details = errors.map(({ detail }) => detail).join(' ');
  if (errors.length > 0) throw new Refusal('invalid-parameter', details, { errors });
  // Every parameter has a value, or an error was thrown.
  return values as Values;
}

interface Page {
  limit: number;
  after: string | null;
}

/** @param isNext whether a text can be the `next` of a page */
export function pageQuery(isNext: (text: string) => boolean = () => true): Readers<Page> {
  return {
    limit(c) {
      const limit = c.req.query('limit') ?? String(DEFAULT_PAGE_LIMIT);
      if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > PAGE_LIMIT)
        throw new InvalidParameter('limit', limit, `is not a number from 1 to ${PAGE_LIMIT}.`);
      return Number(limit);
    },
    after(c) {
      const after = c.req.query('after') ?? null;
      if (after !== null && !isNext(after))
        throw new InvalidParameter('after', after, 'is not the “next” value of a previous page.');
      return after;
    },
  };
}

/** The same for lists whose `next` is the id of an entry. */
export const ID_PAGE_QUERY = pageQuery(isUuid);

export function searchIn(c: Context): string | null {
  const search = c.req.query('search') ?? null;
  if (search !== null && search.length > LONGEST_SEARCH)
    throw new InvalidParameter('search', search, `is longer than ${LONGEST_SEARCH} characters.`);
  return search;
}

export function visibleIn(c: Context): boolean | null {
  const visible = c.req.query('visible');
  if (visible === undefined) return null;
  if (visible !== 'true' && visible !== 'false')
    throw new InvalidParameter('visible', visible, 'is neither true nor false.');
  return visible === 'true';
}

/** One of some values, or null without the parameter. */
export function choiceIn<Choice extends string>(
  name: string,
  choices: readonly Choice[],
): (c: Context) => Choice | null {
  return (c) => {
    const text = c.req.query(name);
    if (text === undefined) return null;
    const choice = choices.find((one) => one === text);
    if (choice === undefined) throw new InvalidParameter(name, text, `is not one of ${choices.join(', ')}.`);
    return choice;
  };
}

/** One parameter is not valid; `queryIn` collects all of them. */
class InvalidParameter extends Error {
  readonly error: FieldError;

  constructor(field: string, value: string, fault: string) {
    super(fault);
    this.error = { field, detail: `The parameter “${field}” ${fault}${quotedValue(value)}` };
  }
}
