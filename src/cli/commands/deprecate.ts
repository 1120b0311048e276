import { message, type SafeText } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors/error.ts';
import { isSemver } from '../../core/registry/version.ts';
import { versionRange } from '../../core/registry/version-range.ts';
import { printable, safeExcerpt } from '../../core/text/text.ts';
import { appToPublish } from '../../publish/listed-app.ts';
import {
  planRetirement,
  type RetiredVersion,
  type RetirementPlan,
  type WantedRetirement,
} from '../../publish/deprecate.ts';
import { planAndApply } from '../../publish/attempts.ts';
import type { Style } from '../../report/style.ts';
import { settings } from '../check/settings.ts';
import { RETIREMENT_REASONS } from '../define/choices.ts';
import { openWorkspace } from '../config/workspace.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { nextAfterChange, planStatus, planText, printFindings } from '../check/remarks.ts';
import type { deprecateCommand } from '../define/deprecate.ts';

type Options = OptionsOf<typeof deprecateCommand>;

/**
 * `appreg deprecate <app> <version|range>`: retires versions in the about file of the app, or withdraws that. Exit 1 for
 * a version that is retired otherwise, which stays so without --replace.
 */
export async function runDeprecate(context: Context, key: string, given: string, options: Options): Promise<number> {
  const { terminal } = context;
  const selects = selector(given);
  const wanted = retirementOf(options);
  const workspace = await openWorkspace(context);
  const { place } = workspace;
  const { now, severities } = await settings(context);
  const planNow = async (): Promise<RetirementPlan> => {
    const app = await appToPublish(place, key);
    const since = new Date(place.store.now?.() ?? now).toISOString().slice(0, 10);
    return planRetirement(place, app, { selects, asGiven: given, replaces: options.replace === true }, wanted, {
      now,
      since,
      severities,
    });
  };
  const { planned } = await planAndApply(place.store, planNow, { dryRun: options.dryRun });
  const { plan, findings, versions, changed, kept, replaced } = planned;
  const done = wanted === null ? 'restored' : 'deprecated';
  const status = planStatus(plan, options.dryRun === true, done);
  printFindings(terminal, findings);
  printResult<'deprecate'>(context, {
    pretty: (style) => resultText(style, key, status, planned),
    json: () => ({
      key,
      status,
      versions,
      changed,
      kept,
      replaced,
      retirement: wanted,
      files: plan.steps.map(({ path }) => path),
    }),
  });
  for (const one of kept)
    terminal.error(
      message`${key} ${one.version} is retired already, and stays so: ${retirementText(one)}`,
      message`To overwrite that, add --replace. To keep it, select the other versions only.`,
    );
  if (status === 'planned') terminal.next(message`the same command without --dry-run`);
  else if (status === done) nextAfterChange(terminal, workspace, ` --app ${key} --about`);
  return kept.length > 0 ? 1 : 0;
}

/** True if a listed version is meant. @throws AppregError `option-invalid` (exit 2) */
function selector(given: string): (version: string) => boolean {
  if (isSemver(given)) return (version) => version === given;
  const range = versionRange(given);
  if (range === null)
    throw new AppregError(
      'option-invalid',
      message`“${safeExcerpt(given, 80)}” is neither a version nor a range.`,
      message`Use a version such as 1.2.0, or a range such as "<1.3.0" or 1.x.`,
    );
  return range.includes;
}

/** The longest message, in characters. */
const LONGEST = 280;

/** @throws AppregError `option-missing`, `option-invalid` or `option-conflict` (exit 2) */
function retirementOf({ reason, message: text, use, undo, replace }: Options): WantedRetirement {
  if (undo === true) {
    if (reason === undefined && text === undefined && use === undefined && replace !== true) return null;
    throw new AppregError(
      'option-conflict',
      message`--undo withdraws a retirement, so it takes no --reason, --message, --use and --replace.`,
      message`Remove one of the options.`,
    );
  }
  if (reason === undefined || text === undefined)
    throw new AppregError(
      'option-missing',
      message`${reason === undefined ? '--reason' : '--message'} is missing.`,
      message`Give both: --reason ${RETIREMENT_REASONS.join('|')} --message <text>. To withdraw a retirement, use --undo.`,
    );
  const problem = messageProblem(text);
  if (problem !== null)
    throw new AppregError(
      'option-invalid',
      problem,
      message`Write one sentence, in at most ${LONGEST} characters. Details belong in the notes of the version that replaces it.`,
    );
  if (use !== undefined && !isSemver(use))
    throw new AppregError(
      'option-invalid',
      message`--use: “${safeExcerpt(use, 80)}” is not a semantic version.`,
      message`Use a listed version, such as 1.2.1.`,
    );
  return { reason, message: text, use: use ?? null };
}

/** The fault of a text as a message, which is one line; null if it is valid. */
function messageProblem(text: string): SafeText | null {
  const length = [...text].length;
  if (text.trim() === '') return message`--message is empty.`;
  if (/[\r\n\u2028\u2029]/.test(text)) return message`--message has several lines.`;
  return length > LONGEST ? message`--message has ${length} characters.` : null;
}

/** Describes on one line the entry of the about file for a retired version. */
function retirementText({ reason, message: text, use, since }: RetiredVersion): string {
  const parts = [reason, ...(use === null ? [] : [`use ${use}`]), ...(since === null ? [] : [`since ${since}`])];
  return printable(`“${text}” (${parts.join(', ')})`);
}

function resultText(
  style: Style,
  key: string,
  status: 'deprecated' | 'restored' | 'planned' | 'unchanged',
  { plan, changed, kept, replaced, lines }: RetirementPlan,
): string {
  const before = replaced.map((one) => `\n  before, ${printable(one.version)}: ${retirementText(one)}`).join('');
  if (status === 'unchanged')
    return kept.length > 0
      ? 'nothing was written'
      : `the about file of ${printable(key)} already says so; nothing to do`;
  if (status === 'planned') return `${planText(style, plan, lines)}${before}`;
  const files = plan.steps.map(({ path }) => printable(path)).join(', ');
  const words = status === 'deprecated' ? 'deprecated' : 'withdrew the retirement of';
  return `${words} ${style.bold(`${printable(key)} ${changed.map(printable).join(', ')}`)}: ${files}${before}`;
}
