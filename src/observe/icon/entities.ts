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
  for (const [, name, double, single] of doctype.matchAll(DECLARATION)) {
    // The first of several declarations applies.
    const value = double ?? single ?? '';
    // A per cent sign would reference a parameter entity.
    if (value.includes('%')) return null;
    if (!declared.has(name!)) declared.set(name!, value);
  }
  if (declared.size > COUNT_LIMIT) return null;
  const whole = new Map<string, string>();
  let room = LIMIT;

  /** Throws TOO_MUCH. */
  function write(part: string, inside: readonly string[]): string {
    return part.replace(REFERENCE, (reference, name: string) => {
      const value = declared.get(name);
      if (value === undefined) return reference;
      if (inside.includes(name)) throw TOO_MUCH;
      const written = whole.get(name) ?? write(value, [...inside, name]);
      whole.set(name, written);
      room -= written.length;
      if (room < 0) throw TOO_MUCH;
      return written;
    });
  }

  try {
    return write(text, []);
  } catch (error) {
    if (error === TOO_MUCH) return null;
    throw error;
  }
}

const TOO_MUCH = new Error('it is unterminated or expands too much');
