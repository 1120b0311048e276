/** Which fields of a value a JSON Schema does not name, by path; for schemas that let others stand beside the named ones. */

interface Schema {
  $ref?: string;
  then?: Schema | boolean;
  else?: Schema;
  items?: Schema | Schema[];
  properties?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
}

export function undescribed(root: Schema, value: unknown): string[] {
  const found = new Set<string>();
  walk(root, value, '');
  return [...found];

  function walk(given: Schema | undefined, part: unknown, path: string): void {
    if (given === undefined || typeof part !== 'object' || part === null) return;
    const schema = resolve(given, part);
    if (Array.isArray(part)) {
      for (const item of part) walk(Array.isArray(schema.items) ? schema.items[0] : schema.items, item, `${path}/*`);
      return;
    }
    for (const [name, inner] of Object.entries(part)) {
      const known = schema.properties?.[name];
      if (known) walk(known, inner, `${path}/${name}`);
      else found.add(`${path}/${name}`);
    }
  }

  function resolve(schema: Schema, part: object): Schema {
    if (schema.$ref !== undefined) return resolve(root.definitions![schema.$ref.replace('#/definitions/', '')]!, part);
    if (schema.then !== undefined && schema.else === undefined) return resolve(schema.then as Schema, part);
    if (schema.else === undefined) return schema;
    return resolve('missing' in part && typeof schema.then === 'object' ? schema.then : schema.else, part);
  }
}
