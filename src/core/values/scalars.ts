/** Numbers and texts with constraints that TypeScript cannot express; the generated schemas check them. */

/**
 * A number of things, from 0.
 *
 * @asType integer
 * @minimum 0
 */
export type Count = number;

/** @asType integer */
export type Integer = number;

/**
 * A whole number, from 1.
 *
 * @asType integer
 * @minimum 1
 */
export type PositiveInteger = number;

/**
 * ISO 8601.
 *
 * @pattern ^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$
 * @patternErrorMessage a time in UTC, such as "2026-01-31T12:00:00Z"
 */
export type Moment = string;

/**
 * A SHA-256, in lowercase hexadecimal digits.
 *
 * @pattern ^[0-9a-f]*$
 * @patternErrorMessage a digest in lowercase hexadecimal digits
 */
export type Digest = string;

/**
 * 64 bits.
 *
 * @pattern ^[0-9a-f]{16}$
 */
export type Fingerprint = string;

/** @pattern ^[a-z0-9]+(-[a-z0-9]+)*$ */
export type RuleId = string;

/** @minLength 1 */
export type Sentence = string;

/**
 * A line or a column, from 1.
 *
 * @asType integer
 * @minimum 1
 */
export type Position = number;

/**
 * Text that is not blank.
 *
 * @pattern \S
 * @patternErrorMessage text that is not blank
 */
export type NotBlank = string;

/**
 * A path relative to the folder of an app.
 *
 * @pattern ^(?![/\\]|[A-Za-z]:)(?!(.*[/\\])?\.\.([/\\]|$)).+$
 * @patternErrorMessage a relative path inside the folder, such as "main.ts"
 */
export type FileOfApp = string;

/**
 * A second entry point, built to ui.js.
 *
 * @pattern ^(?![/\\]|[A-Za-z]:)(?!(.*[/\\])?\.\.([/\\]|$)).+$
 * @patternErrorMessage a relative path inside the folder, such as "ui.tsx"
 */
export type UiOfApp = string;
