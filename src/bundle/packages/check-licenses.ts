import { message, type SafeText } from '../../core/text/message.ts';
import parse, { type ConjunctionInfo, type LicenseInfo } from 'spdx-expression-parse';
import { counted } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { LicenseSettings } from '../options.ts';
import { type BundledPackage, idOf } from './materials.ts';

/** Checks the licenses of bundled packages against the list of the configuration (SPDX 2.3, annex D). */

type Expression = LicenseInfo | ConjunctionInfo;

/** The number of packages that a message names. */
const SHOWN = 20;

/** The settings, parsed. */
interface Policy {
  /** Licenses by their identifier, with `+` and an exception if they have one; null: any. */
  allowed: ReadonlySet<string> | null;
  /** By `idOf` of the package. */
  clarified: ReadonlyMap<string, Expression>;
}

/**
 * @throws AppregError `license-setting-invalid` (exit 2) for settings that are not SPDX expressions,
 * `license-not-allowed` (exit 1) that names each package whose license is not allowed
 */
export function checkLicenses(packages: readonly BundledPackage[], settings: LicenseSettings): void {
  const policy = policyOf(settings);
  const refused = packages.filter((one) => !isAllowed(one, policy));
  const [first] = refused;
  if (first === undefined) return;
  const named = refused.slice(0, SHOWN).map((one) => `${idOf(one)} (${one.license ?? 'no license'})`);
  if (refused.length > SHOWN) named.push(`and ${refused.length - SHOWN} more`);
  throw new AppregError(
    'license-not-allowed',
    message`The configuration does not allow ${refused.length === 1 ? 'the license of a package' : `the licenses of ${counted(refused.length, 'package')}`}: ${named.join(', ')}.`,
    adviceFor(first, refused),
    { effect: 'none' },
  );
}

function adviceFor(first: BundledPackage, refused: readonly BundledPackage[]): SafeText {
  const expressions = [...new Set(refused.flatMap(({ license }) => (parsed(license) === null ? [] : [license])))];
  const unknown = refused.find(({ license }) => parsed(license) === null);
  const replace = `Replace ${refused.length === 1 ? idOf(first) : 'these packages'}`;
  const accept =
    expressions.length === 0
      ? ''
      : `, or accept the license in bundle.licenses.allow of the configuration (${expressions.join(', ')})`;
  const clarify =
    unknown === undefined
      ? ''
      : `, or enter the SPDX expression of a license that you have read yourself in bundle.licenses.clarified: { ${JSON.stringify(idOf(unknown))}: "MIT" }`;
  return message`${replace}${accept}${clarify}.`;
}

function policyOf({ allow, clarified = {} }: LicenseSettings): Policy {
  return {
    allowed: allow === undefined ? null : new Set(allow.flatMap(alternativesIn)),
    clarified: new Map(
      Object.entries(clarified).map(([id, license]) => [id, requireExpression(license, 'bundle.licenses.clarified')]),
    ),
  };
}

/** The licenses of a setting: one, or several that are each allowed. */
function alternativesIn(text: string): string[] {
  const alternatives = (one: Expression): string[] => {
    if ('license' in one) return [nameOf(one)];
    if (one.conjunction === 'or') return [...alternatives(one.left), ...alternatives(one.right)];
    throw new AppregError(
      'license-setting-invalid',
      message`bundle.licenses.allow: “${text}” combines licenses with AND.`,
      message`List each license by itself.`,
    );
  };
  return alternatives(requireExpression(text, 'bundle.licenses.allow'));
}

function requireExpression(text: string, setting: string): Expression {
  const expression = parsed(text);
  if (expression !== null) return expression;
  throw new AppregError(
    'license-setting-invalid',
    message`${setting}: “${text}” is not an SPDX license expression.`,
    message`Use the identifiers of https://spdx.org/licenses/, in their exact case, such as "MIT" or "Apache-2.0 WITH LLVM-exception".`,
  );
}

function isAllowed(one: BundledPackage, { allowed, clarified }: Policy): boolean {
  if (allowed === null) return true;
  const expression = clarified.get(idOf(one)) ?? parsed(one.license);
  return expression !== null && satisfies(expression, allowed);
}

function satisfies(one: Expression, allowed: ReadonlySet<string>): boolean {
  if ('conjunction' in one) {
    const [left, right] = [satisfies(one.left, allowed), satisfies(one.right, allowed)];
    return one.conjunction === 'and' ? left && right : left || right;
  }
  // A license "or later" includes the license itself.
  return allowed.has(nameOf(one)) || (one.plus === true && allowed.has(nameOf({ ...one, plus: undefined })));
}

function nameOf({ license, plus, exception }: LicenseInfo): string {
  return `${license}${plus === true ? '+' : ''}${exception === undefined ? '' : ` WITH ${exception}`}`;
}

/** Null for what is not an expression, such as UNLICENSED and SEE LICENSE IN … */
function parsed(text: string | null): Expression | null {
  try {
    return text === null ? null : parse(text);
  } catch {
    return null;
  }
}
