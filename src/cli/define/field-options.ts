import {
  type AddOptionName,
  APP_FIELDS,
  type AppField,
  type FieldKind,
  type FieldOptionText,
  type ManifestFieldName,
} from '../../core/registry/app-fields.ts';
import { recordFrom } from '../../core/values/record.ts';
import { type TextOption, text, type ValueKind } from './command.ts';

/** The options for the fields of an app (core/registry/app-fields.ts), in their order. */

/** Kind of value of each option. URLs are checked with other messages (check/field-values.ts). */
const VALUES: Record<FieldKind, ValueKind> = {
  text: 'text',
  color: 'color',
  icon: 'icon',
  'metadata-url': 'any',
  'page-url': 'any',
  'support-url': 'any',
  license: 'text',
};

/** A field for which `add-app` has an option. */
type AddedField = AppField<ManifestFieldName, AddOptionName> & { option: { add: FieldOptionText } };

/** The fields for which `add-app` has an option. */
export const ADDED_FIELDS = APP_FIELDS.filter((field): field is AddedField => field.option.add !== undefined);

export const addAppOptions = recordFrom(
  ADDED_FIELDS.map((field) => [field.option.name, fieldOption(field, field.option.add)]),
);

export const editAppOptions = recordFrom(
  APP_FIELDS.map((field) => [field.option.name, fieldOption(field, editTextOf(field.option))]),
);

function editTextOf(option: AppField['option']): FieldOptionText {
  return option.add === undefined ? option.edit : { ...option.add, ...option.edit };
}

function fieldOption({ kind, option }: AppField, { description, prompt }: FieldOptionText): TextOption<ValueKind> {
  return text(option.flags, description, VALUES[kind], prompt);
}
