/**
 * The fields of an app: its texts in the manifest (spec 2.1) and in its about file. One entry of `TABLE` declares a
 * field. Reading, the schemas, the rules about texts, diff, the options of commands and the pages are made from it.
 */

/**
 * Kind of a field: determines how its value is checked, written and shown. Each user maps it in a `Record<FieldKind,
 * …>`.
 */
export type FieldKind = 'text' | 'color' | 'icon' | 'metadata-url' | 'page-url' | 'support-url' | 'license';

/** Texts about the option of a field: in the help, and in a prompt. */
export interface FieldOptionText {
  description: string;
  /** Absent for an option that is not prompted for. */
  prompt?: { message: string; initial?: string; placeholder?: string };
}

export interface AppField<Name extends string = string, OptionName extends string = string> {
  /** As the document, reports, diffs and results name it. */
  name: Name;
  in: 'manifest' | 'about';
  /** Where it is in the entry of the manifest, or in `app` of the about file. */
  at: readonly [field: string] | readonly [group: keyof typeof FIELD_GROUPS, field: string];
  kind: FieldKind;
  /** An entry without it is invalid, so that the app is hidden. */
  required?: true;
  /** On pages. */
  label: string;
  /** In its schema. */
  description: string;
  /** Its form in the manifest, as advice. */
  example?: string;
  /** Names that are written in place of its own. */
  aliases?: readonly string[];
  /** Of a text: what to write in place of an empty one. */
  advice?: string;
  /** Of a text: true if line breaks are allowed. */
  multiline?: true;
  /** The option of `add-app` and `edit-app`; `edit` has what differs there. Without `add`, only `edit-app` has it. */
  option: { name: OptionName; flags: string } & (
    | { add: FieldOptionText; edit?: Partial<FieldOptionText> }
    | { add?: undefined; edit: FieldOptionText }
  );
  /** Its description in the schema of app.json, if that file has it. */
  described?: string;
}

/** The objects of an entry that contain fields. */
export const FIELD_GROUPS = {
  blockStyle: {
    aliases: ['style'],
    example: '"blockStyle": { "iconUrl": "https://…", "color": "#RRGGBB" }',
    description: "Visual styling of the app's blocks.",
  },
} as const;

const TABLE = [
  {
    name: 'name',
    in: 'manifest',
    at: ['name'],
    kind: 'text',
    required: true,
    label: 'Name',
    description: 'Display name shown in the UI.',
    example: '"name": "…", the display name',
    aliases: ['title'],
    advice: 'Write the display name of the app.',
    option: {
      name: 'name',
      flags: '--name <name>',
      add: { description: 'display name', prompt: { message: 'Display name?' } },
      edit: { description: 'new display name' },
    },
    described: 'Display name.',
  },
  {
    name: 'description',
    in: 'manifest',
    at: ['description'],
    kind: 'text',
    required: true,
    label: 'Description',
    description: 'Brief description of what the app does.',
    example: '"description": "…", what the app does',
    advice: 'Describe in one sentence what the app does.',
    multiline: true,
    option: {
      name: 'description',
      flags: '--description <text>',
      add: {
        description: 'what the app does, in one sentence',
        prompt: { message: 'What does it do, in one sentence?' },
      },
      edit: { description: 'new description, in one sentence' },
    },
    described: 'What the app does.',
  },
  {
    name: 'iconUrl',
    in: 'manifest',
    at: ['blockStyle', 'iconUrl'],
    kind: 'icon',
    required: true,
    label: 'Icon',
    description: 'URL of the app icon: PNG or SVG, HTTPS, under 1 MB.',
    example: '"iconUrl": "https://…/icon.svg"',
    aliases: ['icon'],
    option: {
      name: 'icon',
      flags: '--icon <file|url>',
      add: {
        description: 'PNG or SVG; a file is checked and copied',
        prompt: {
          message: 'Icon: a PNG or SVG file, or a URL (empty: generated from the first letter)',
          placeholder: 'icon.svg',
        },
      },
      edit: { prompt: { message: 'Icon: a PNG or SVG file, or a URL' } },
    },
    described: 'The icon, if it is hosted elsewhere.',
  },
  {
    name: 'color',
    in: 'manifest',
    at: ['blockStyle', 'color'],
    kind: 'color',
    required: true,
    label: 'Color',
    description: 'Background colour of the blocks, in the form #RRGGBB.',
    example: '"color": "#RRGGBB"',
    aliases: ['colour'],
    option: {
      // Not `color`, which is what --no-color sets.
      name: 'blockColor',
      flags: '--color <#RRGGBB>',
      add: {
        description: 'background color of its blocks',
        prompt: { message: 'Background color of its blocks (#RRGGBB)', initial: '#3b5bdb' },
      },
      edit: { prompt: { message: 'Background color of its blocks (#RRGGBB)' } },
    },
    described: 'Background color of the blocks, in the form #RRGGBB.',
  },
  {
    name: 'appMetadataUrl',
    in: 'manifest',
    at: ['appMetadataUrl'],
    kind: 'metadata-url',
    required: true,
    label: 'Metadata file',
    description: "URL of the app's metadata file.",
    example: '"appMetadataUrl": "https://…/versions.json"',
    aliases: ['metadataUrl'],
    option: {
      name: 'metadataUrl',
      flags: '--metadata-url <url>',
      add: { description: 'URL of its metadata file, if that is not in this workspace' },
      edit: { description: 'new URL of its metadata file, which must exist' },
    },
    described: 'The metadata file, if it is hosted elsewhere.',
  },
  {
    name: 'homepage',
    in: 'about',
    at: ['homepage'],
    kind: 'page-url',
    label: 'Home page',
    description: 'The home page of the app.',
    option: {
      name: 'homepage',
      flags: '--homepage <url>',
      edit: { description: 'its home page, for the about file' },
    },
  },
  {
    name: 'source',
    in: 'about',
    at: ['source'],
    kind: 'page-url',
    label: 'Source code',
    description: 'The source code of the app.',
    option: {
      name: 'source',
      flags: '--source <url>',
      edit: { description: 'its source code, for the about file' },
    },
  },
  {
    name: 'licence',
    in: 'about',
    at: ['licence'],
    kind: 'license',
    label: 'License',
    description: 'The license of the app, for example as an SPDX expression.',
    option: {
      name: 'licence',
      flags: '--licence <text>',
      edit: { description: 'its license, such as MIT, for the about file' },
    },
  },
  {
    name: 'support',
    in: 'about',
    at: ['support'],
    kind: 'support-url',
    label: 'Support',
    description: 'Where users get help: a web page, or a mail address after mailto:.',
    option: {
      name: 'support',
      flags: '--support <url>',
      edit: { description: 'where users get help, for the about file: a web page, or mailto:<address>' },
    },
  },
] as const satisfies readonly AppField[];

type Entry = (typeof TABLE)[number];

export type FieldName = Entry['name'];

/** The name of a field of an app in a manifest. */
export type ManifestFieldName = Extract<Entry, { in: 'manifest' }>['name'];
export type AboutFieldName = Extract<Entry, { in: 'about' }>['name'];
/** The name of a field of the manifest whose text is written as it is given: a file is neither copied nor created for it. */
export type PlainFieldName = Exclude<Extract<Entry, { in: 'manifest' }>, { kind: 'icon' | 'metadata-url' }>['name'];
export type RequiredFieldName = Extract<Entry, { required: true }>['name'];
export type PromptedFieldName = Extract<Entry, { option: { add: { prompt: object } } }>['name'];
export type FieldOptionName = Entry['option']['name'];
export type AddOptionName = Extract<Entry, { option: { add: object } }>['option']['name'];

/** All fields, in the order in which documents, help and results have them. */
export const APP_FIELDS: readonly AppField<FieldName, FieldOptionName>[] = TABLE;
