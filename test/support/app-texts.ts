import { MANIFEST_FIELDS } from '../../src/core/registry/manifest.ts';
import type { AppField } from '../../src/core/registry/app-fields.ts';

/** The facts of an app entry with these texts, by the name of the field. */
export function textsOf(values: Readonly<Record<string, string>>): { texts: { field: AppField; text: string }[] } {
  return {
    texts: MANIFEST_FIELDS.flatMap((field) => {
      const text = values[field.name];
      return text === undefined ? [] : [{ field, text }];
    }),
  };
}
