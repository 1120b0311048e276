import type { Context } from 'hono';

/** A parameter of the route's path. @throws if the path does not name it */
export function pathParameter(c: Context, name: string): string {
  const value = c.req.param(name);
  if (value === undefined) throw new Error(`The path of the route has no parameter "${name}".`);
  return value;
}
