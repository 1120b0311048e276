import type { AttestationRequirement } from '../../core/facts/attestation.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { Snapshot } from '../../core/facts/facts.ts';
import { isHttpUrl } from '../../core/url/url.ts';
import { testPolicy } from '../../core/policy/observed-registry.ts';
import { manifestAppsIn } from '../../core/registry/manifest.ts';
import type { LockFile } from '../../core/registry/lock-file.ts';
import { isInCalendar } from '../../core/text/calendar.ts';
import { message } from '../../core/text/message.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { printable, safeExcerpt } from '../../core/text/text.ts';
import { parseLock } from '../../publish/lock-step.ts';
import { policyResult, policyTestAsText, policyTestHeadline } from '../../report/policy-test.ts';
import { registryState } from '../../workspace/registry-state.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { readInputFile } from '../io/input-file.ts';
import { printResult } from '../io/results.ts';
import { policyAt } from './policy.ts';
import { stateOptions } from '../check/state-options.ts';
import type { policyTestCommand } from '../define/policy-test.ts';

type Options = OptionsOf<typeof policyTestCommand>;

/**
 * `appreg policy test <policy.json> <where>`: what a policy would offer of a registry, what it holds back, and until
 * when. Exit 1 if it hides everything.
 */
export async function runPolicyTest(context: Context, file: string, where: string, options: Options): Promise<number> {
  const { terminal, cwd } = context;
  const { policy, name } = policyAt(cwd, file);
  const memory = options.firstSeen === undefined ? null : memoryAt(cwd, options.firstSeen);
  const now = options.now === undefined ? new Date() : timeOf(options.now);
  const { snapshot, attestations } = await observed(context, where, options);
  requireListed(snapshot, options.app ?? []);
  const tested = testPolicy(policy, snapshot, { attestations, memory, now });
  const result = policyResult(tested, { policy: name, registry: snapshot.target, now });
  printResult<'policy test'>(context, {
    pretty: (style) => policyTestAsText(result, style),
    json: () => result,
    summary: () => policyTestHeadline(result),
  });
  if (policy.minimumAge !== null && memory === null)
    terminal.log(
      message`Without --first-seen, it is not known when versions were first seen: minimumAge ${policy.minimumAgeStrict ? 'holds them back' : 'holds none back'}.`,
    );
  if (policy.requireAttestation.length > 0 && attestations === null)
    terminal.log(message`Attestations were not checked: use --attestations report with a signer.`);
  for (const key of tested.aboutUnknown)
    terminal.log(message`The about file of ${key} cannot be read: retirements of its versions are not known.`);
  if (!result.hidesEverything) return 0;
  terminal.error(message`The policy hides every version.`, message`Correct the lines that are named above.`);
  return 1;
}

/** @throws AppregError `file-unreadable` or `lock-file-invalid` (exit 2) */
function memoryAt(cwd: string, file: string): LockFile {
  return parseLock(readInputFile(cwd, file), printable(file));
}

/** @throws AppregError `option-invalid` (exit 2) */
function timeOf(text: string): Date {
  if (/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) && isInCalendar(text))
    return new Date(text);
  throw new AppregError(
    'option-invalid',
    message`--now: “${safeExcerpt(text, 80)}” is not a time.`,
    message`Use a time in ISO 8601, such as 2026-01-31T12:00:00Z.`,
  );
}

/**
 * The state of the registry; artifacts of a live one only if their attestations are checked.
 * @throws AppregError for invalid options, and for a registry that cannot be read
 */
async function observed(
  context: Context,
  where: string,
  options: Options,
): Promise<{ snapshot: Snapshot; attestations: AttestationRequirement | null }> {
  const state = stateOptions(context, options);
  if (!isHttpUrl(where)) {
    if (options.attestations !== undefined)
      throw new AppregError(
        'option-conflict',
        message`--attestations is for a live registry.`,
        message`Give its URL, or facts that were saved with verify --attestations.`,
      );
    const snapshot = await registryState(where, { ...state, about: true, documentsOnly: true });
    return { snapshot: selected(snapshot, options), attestations: snapshot.attestations ?? null };
  }
  const { attestationCheck } = await import('../check/attestation-check.ts');
  const loaded = await context.config();
  const checked = await attestationCheck(context.cwd, loaded, options);
  const snapshot = await registryState(where, {
    ...state,
    about: true,
    withArtifacts: checked !== null,
    webOptions: async (registry) => ({
      ...(await state.webOptions?.(registry)),
      attestations: checked?.verify ?? null,
    }),
  });
  return { snapshot, attestations: checked?.requirement ?? null };
}

/** @throws AppregError `app-unknown`: an app that is not listed has no version to offer, as a misspelled one */
function requireListed({ manifest }: Snapshot, named: readonly string[]): void {
  const listed = Object.keys(manifestAppsIn(manifest.content) ?? {});
  const unknown = named.filter((key) => !listed.includes(key));
  if (unknown.length === 0) return;
  throw new AppregError(
    'app-unknown',
    message`The registry does not list the app “${unknown.join('”, “')}”.${unknown.map((key) => didYouMean(key, listed)).join('')}`,
    message`App keys are case-sensitive.`,
  );
}

/** The apps that --app names. A live registry is only asked for them. */
function selected(snapshot: Snapshot, { app }: Options): Snapshot {
  if (app === undefined) return snapshot;
  return { ...snapshot, apps: snapshot.apps.filter(({ key }) => app.includes(key)) };
}
