import type { ArgumentDefinition, CommandDefinition } from '../command-definition.ts';
import type { Context, OptionsOf } from '../context.ts';
import { addAppCommand } from './add-app/options.ts';
import { assembleCommand } from './assemble/options.ts';
import { attestationCommand } from './attestation/options.ts';
import { bundleCommand } from './bundle/options.ts';
import { checksumCommand } from './checksum/options.ts';
import { completionCommand } from './completion/options.ts';
import { conformanceCommand } from './conformance/options.ts';
import { conformanceDocumentsCommand } from './conformance-documents/options.ts';
import { conformanceFixturesCommand } from './conformance-fixtures/options.ts';
import { conformanceHostCommand } from './conformance-host/options.ts';
import { conformanceSubscriberCommand } from './conformance-subscriber/options.ts';
import { deprecateCommand } from './deprecate/options.ts';
import { diagnoseCommand } from './diagnose/options.ts';
import { diffCommand } from './diff/options.ts';
import { editAppCommand } from './edit-app/options.ts';
import { explainCommand } from './explain/options.ts';
import { initCommand } from './init/options.ts';
import { judgeCommand } from './judge/options.ts';
import { lintCommand } from './lint/options.ts';
import { lockCommand } from './lock/options.ts';
import { mirrorCommand } from './mirror/options.ts';
import { policyCommand } from './policy/options.ts';
import { policyTestCommand } from './policy-test/options.ts';
import { publishVersionCommand } from './publish-version/options.ts';
import { removeAppCommand } from './remove-app/options.ts';
import { rulesCommand } from './rules/options.ts';
import { releaseCommand } from './release/options.ts';
import { serveCommand } from './serve/options.ts';
import { serviceCommand } from './service/options.ts';
import { serviceBackupCommand } from './service-backup/options.ts';
import { serviceRestoreCommand } from './service-restore/options.ts';
import { siteCommand } from './site/options.ts';
import { subscribeCommand } from './subscribe/options.ts';
import { verifyCommand } from './verify/options.ts';

export interface Command {
  definition: CommandDefinition;
  /** Imports the implementation, which may be large: it resolves to the exit code. */
  load(): Promise<(context: Context, ...rest: any[]) => Promise<number>>;
}

/** The values of arguments, by their usage: `<required>`, `[optional]`, `<several...>`. */
type ArgumentValues<Arguments extends readonly ArgumentDefinition[]> = {
  -readonly [Index in keyof Arguments]: Arguments[Index]['usage'] extends `${string}...${string}`
    ? readonly string[]
    : Arguments[Index]['usage'] extends `<${string}`
      ? string
      : string | undefined;
};

/** Implements a command: receives the context, then its arguments and options; resolves to the exit code. */
type Action<Definition extends CommandDefinition> = (
  context: Context,
  ...rest: [...ArgumentValues<Definition['arguments']>, OptionsOf<Definition>]
) => Promise<number>;

function command<Definition extends CommandDefinition>(
  definition: Definition,
  load: () => Promise<Action<Definition>>,
): Command {
  return { definition, load };
}

/** All commands, in the order of the help; a subcommand after its command. */
export const COMMANDS: readonly Command[] = [
  command(initCommand, async () => (await import('./init/run.ts')).runInit),
  command(addAppCommand, async () => (await import('./add-app/run.ts')).runAddApp),
  command(editAppCommand, async () => (await import('./edit-app/run.ts')).runEditApp),
  command(removeAppCommand, async () => (await import('./remove-app/run.ts')).runRemoveApp),
  command(assembleCommand, async () => (await import('./assemble/run.ts')).runAssemble),
  command(bundleCommand, async () => (await import('./bundle/run.ts')).runBundle),
  command(checksumCommand, async () => (await import('./checksum/run.ts')).runChecksum),
  command(publishVersionCommand, async () => (await import('./publish-version/run.ts')).runPublishVersion),
  command(deprecateCommand, async () => (await import('./deprecate/run.ts')).runDeprecate),
  command(releaseCommand, async () => (await import('./release/run.ts')).runRelease),
  command(lintCommand, async () => (await import('./lint/run.ts')).runLint),
  command(verifyCommand, async () => (await import('./verify/run.ts')).runVerify),
  command(diagnoseCommand, async () => (await import('./diagnose/run.ts')).runDiagnose),
  command(lockCommand, async () => (await import('./lock/run.ts')).runLock),
  command(mirrorCommand, async () => (await import('./mirror/run.ts')).runMirror),
  command(diffCommand, async () => (await import('./diff/run.ts')).runDiff),
  command(attestationCommand, async () => (await import('./attestation/run.ts')).runAttestation),
  command(judgeCommand, async () => (await import('./judge/run.ts')).runJudge),
  command(explainCommand, async () => (await import('./explain/run.ts')).runExplain),
  command(rulesCommand, async () => (await import('./rules/run.ts')).runRules),
  command(policyCommand, async () => (await import('./policy/run.ts')).runPolicy),
  command(policyTestCommand, async () => (await import('./policy-test/run.ts')).runPolicyTest),
  command(siteCommand, async () => (await import('./site/run.ts')).runSite),
  command(subscribeCommand, async () => (await import('./subscribe/run.ts')).runSubscribe),
  command(serveCommand, async () => (await import('./serve/run.ts')).runServe),
  command(serviceCommand, async () => (await import('./service/run.ts')).runService),
  command(serviceBackupCommand, async () => (await import('./service-backup/run.ts')).runServiceBackup),
  command(serviceRestoreCommand, async () => (await import('./service-restore/run.ts')).runServiceRestore),
  command(conformanceCommand, async () => (await import('./conformance/run.ts')).runConformanceList),
  command(
    conformanceDocumentsCommand,
    async () => (await import('./conformance-documents/run.ts')).runConformanceDocuments,
  ),
  command(conformanceHostCommand, async () => (await import('./conformance-host/run.ts')).runConformanceHost),
  command(
    conformanceFixturesCommand,
    async () => (await import('./conformance-fixtures/run.ts')).runConformanceFixtures,
  ),
  command(
    conformanceSubscriberCommand,
    async () => (await import('./conformance-subscriber/run.ts')).runConformanceSubscriber,
  ),
  command(completionCommand, async () => (await import('./completion/run.ts')).runCompletion),
];
