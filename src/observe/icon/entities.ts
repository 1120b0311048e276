/** Entities that a DOCTYPE declares: drawing programs declare a few for namespaces, attackers nest them. */

const LIMIT = 2 ** 20;
const COUNT_LIMIT = 1000;
const DECLARATION = /<!ENTITY\s+([\w:.-]{1,100})\s+(?:"([^"]*)"|'([^']*)'|(?:SYSTEM|PUBLIC)\s)/g;
const REFERENCE = /&([\w:.-]{1,100});/g;

/**
 * Expands the references to entities that the DOCTYPE of a text declares. External entities are empty, since browsers
 * do not load them.
 * @returns null if the expansion does not end or grows by more than 1 MiB, if there are more than 1000 entities, or if
 * declarations are external
 */
export function expandEntities(doctype: string, text: string): string | null {
  // Parameter entities: their declarations are in other files.
  if (/<!ENTITY\s+%/.test(doctype)) return null;
  const declared = new Map<string, string>();
  for (const [, name = '', double, single] of doctype.matchAll(DECLARATION)) {
    // The first of several declarations applies.
    const value = double ?? single ?? '';
    // A per cent sign would reference a parameter entity.
    if (value.includes('%')) return null;
    if (!declared.has(name)) declared.set(name, value);
  }
  if (declared.size > COUNT_LIMIT) return null;
  const expansions = new Map<string, string>();
  let remaining = LIMIT;

  /** @throws NOT_EXPANDABLE */
  function write(part: string, inside: readonly string[]): string {
    return part.replace(REFERENCE, (reference, name: string) => {
      const value = declared.get(name);
      if (value === undefined) return reference;
      if (inside.includes(name)) throw NOT_EXPANDABLE;
      const written = expansions.get(name) ?? write(value, [...inside, name]);
      expansions.set(name, written);
      remaining -= written.length;
      if (remaining < 0) throw NOT_EXPANDABLE;
      return written;
    });
  }

  try {
    return write(text, []);
  } catch (error) {
    if (error === NOT_EXPANDABLE) return null;
    throw error;
  }
}

const NOT_EXPANDABLE = new Error('it is unterminated or expands too much');
