import type { Format } from '../../report/options.ts';
import type { Choices } from './choices.ts';
import type { GroupName } from './groups.ts';

/** A command of the command line as data: parsing, help, completion and prompts read it. */
export interface CommandDefinition {
  /** The word after `appreg`; for a subcommand two words, the first of which is its command. */
  name: string;
  /** That of a subcommand is the group of its command. */
  group: GroupName;
  /** On one line of the help of the program, which has 80 columns. */
  description: string;
  arguments: readonly ArgumentDefinition[];
  options: OptionDefinitions;
  /** The values of --format. */
  formats: readonly Format[];
  /** Shown after the help. */
  notes?: string;
  /**
   * When the command uses the network by itself: always, or unless one of these options (by the name of its value) is
   * given. Absent for a command that only requests the URLs that it is given (`REQUESTED_KINDS`), and the store of its
   * workspace.
   */
  network?: 'always' | { unless: readonly string[] };
  /** Words after `appreg`. */
  examples: readonly string[];
}

/** Options by the name under which a command receives their value. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

export interface ArgumentDefinition {
  /** As in the usage of the command: `<required>`, `[optional]`, `<several...>`. */
  usage: string;
  value: ValueKind | Choices;
  prompt?: PromptText;
}

interface OptionText {
  /** As in the help: `--name`, or `--name <value>`. */
  flags: string;
  description: string;
}

interface FlagOption extends OptionText {
  type: 'boolean';
}

export interface TextOption<Value = ValueKind | Choices> extends OptionText {
  type: 'string';
  value: Value;
  prompt?: PromptText;
}

/** Can be given several times. */
export interface ListOption<Value = ValueKind | Choices> extends OptionText {
  type: 'list';
  value: Value;
}

export interface NumberOption extends OptionText {
  type: 'number';
  range: 'whole' | 'positive' | 'connections' | 'port';
}

export type OptionDefinition = FlagOption | TextOption | ListOption | NumberOption;

export function flag(flags: string, description: string): FlagOption {
  return { type: 'boolean', flags, description };
}

export function text<const Value extends ValueKind | Choices>(
  flags: string,
  description: string,
  value: Value,
  prompt?: PromptText,
): TextOption<Value> {
  return { type: 'string', flags, description, value, ...(prompt && { prompt }) };
}

export function list<const Value extends ValueKind | Choices>(
  flags: string,
  description: string,
  value: Value,
): ListOption<Value> {
  return { type: 'list', flags, description, value };
}

export function number(flags: string, description: string, range: NumberOption['range']): NumberOption {
  return { type: 'number', flags, description, range };
}

/** The flag of an option, without its value: `--name` of `--name <value>`. */
export function flagOf({ flags }: Pick<OptionDefinition, 'flags'>): string {
  return flags.replace(/ .*/, '');
}

/** Prompt for a value that is missing on the command line. */
export interface PromptText {
  message: string;
  /** The default, shown in brackets. */
  initial?: string;
  /** Shown while the input is empty. */
  placeholder?: string;
}

/** The kinds of values that are requested if they are a URL. */
export const REQUESTED_KINDS = [
  'artifact-url',
  'service-url',
  'registry-url',
  'registry-url-or-facts',
  'file-or-url',
  'registry-state',
] as const;

/**
 * Kind of a value: decides what completion offers (completion/values.ts), what is valid (define/value-checks.ts), and
 * what is requested from the network (process/network-use.ts).
 */
export type ValueKind =
  | (typeof REQUESTED_KINDS)[number]
  | 'any'
  | 'text'
  | 'app-key'
  | 'new-app-key'
  | 'new-version'
  | 'file'
  | 'folder'
  | 'archive'
  | 'icon'
  | 'color'
  | 'manifest-name'
  | 'base-url'
  | 'url'
  | 'origin'
  | 'bucket'
  | 'version-range'
  | 'loopback-host'
  | 'format'
  | 'format-and-file'
  | 'rule-level'
  | 'rule-or-error';

/** Text, or one of the choices. */
type TextOf<Option> = Option extends { value: readonly (infer Choice)[] } ? Choice : string;

interface ValueTypes<Option> {
  boolean: boolean;
  string: TextOf<Option>;
  list: TextOf<Option>[];
  number: number;
}

/** The options of a command as it receives them: the parser accepts no others. */
export type OptionValues<Options extends OptionDefinitions> = {
  -readonly [Name in keyof Options]?: ValueTypes<Options[Name]>[Options[Name]['type']];
};
