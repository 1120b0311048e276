import type { ArgumentDefinition, CommandDefinition } from '../define/command.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { addAppCommand } from '../define/add-app.ts';
import { assembleCommand } from '../define/assemble.ts';
import { attestationCommand } from '../define/attestation.ts';
import { bundleCommand } from '../define/bundle.ts';
import { checksumCommand } from '../define/checksum.ts';
import { completionCommand } from '../define/completion.ts';
import { conformanceCommand } from '../define/conformance.ts';
import { conformanceDocumentsCommand } from '../define/conformance-documents.ts';
import { conformanceFixturesCommand } from '../define/conformance-fixtures.ts';
import { conformanceHostCommand } from '../define/conformance-host.ts';
import { conformanceSubscriberCommand } from '../define/conformance-subscriber.ts';
import { deprecateCommand } from '../define/deprecate.ts';
import { diagnoseCommand } from '../define/diagnose.ts';
import { diffCommand } from '../define/diff.ts';
import { editAppCommand } from '../define/edit-app.ts';
import { explainCommand } from '../define/explain.ts';
import { initCommand } from '../define/init.ts';
import { judgeCommand } from '../define/judge.ts';
import { lintCommand } from '../define/lint.ts';
import { lockCommand } from '../define/lock.ts';
import { mirrorCommand } from '../define/mirror.ts';
import { policyCommand } from '../define/policy.ts';
import { policyTestCommand } from '../define/policy-test.ts';
import { publishVersionCommand } from '../define/publish-version.ts';
import { removeAppCommand } from '../define/remove-app.ts';
import { rulesCommand } from '../define/rules.ts';
import { releaseCommand } from '../define/release.ts';
import { serveCommand } from '../define/serve.ts';
import { serviceCommand } from '../define/service.ts';
import { serviceBackupCommand } from '../define/service-backup.ts';
import { serviceRestoreCommand } from '../define/service-restore.ts';
import { siteCommand } from '../define/site.ts';
import { subscribeCommand } from '../define/subscribe.ts';
import { verifyCommand } from '../define/verify.ts';
import { fromPackage } from './from-package.ts';

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

/** All commands, in the order of the help: by group, a subcommand after its command. */
export const COMMANDS: readonly Command[] = [
  command(initCommand, async () => (await import('./init.ts')).runInit),
  command(addAppCommand, async () => (await import('./add-app.ts')).runAddApp),
  command(bundleCommand, async () => (await import('./bundle.ts')).runBundle),
  command(publishVersionCommand, async () => (await import('./publish-version.ts')).runPublishVersion),
  command(lintCommand, async () => (await import('./lint.ts')).runLint),
  command(verifyCommand, async () => (await import('./verify.ts')).runVerify),
  command(diagnoseCommand, async () => (await import('./diagnose.ts')).runDiagnose),
  command(releaseCommand, async () => (await import('./release.ts')).runRelease),
  command(serveCommand, async () => (await import('./serve.ts')).runServe),
  command(editAppCommand, async () => (await import('./edit-app.ts')).runEditApp),
  command(removeAppCommand, async () => (await import('./remove-app.ts')).runRemoveApp),
  command(deprecateCommand, async () => (await import('./deprecate.ts')).runDeprecate),
  command(assembleCommand, async () => (await import('./assemble.ts')).runAssemble),
  command(diffCommand, async () => (await import('./diff.ts')).runDiff),
  command(lockCommand, async () => (await import('./lock.ts')).runLock),
  command(mirrorCommand, async () => (await import('./mirror.ts')).runMirror),
  command(siteCommand, async () => (await import('./site.ts')).runSite),
  command(checksumCommand, async () => (await import('./checksum.ts')).runChecksum),
  command(attestationCommand, async () => (await import('./attestation.ts')).runAttestation),
  command(judgeCommand, async () => (await import('./judge.ts')).runJudge),
  command(explainCommand, async () => (await import('./explain.ts')).runExplain),
  command(rulesCommand, async () => (await import('./rules.ts')).runRules),
  command(policyCommand, async () => (await import('./policy.ts')).runPolicy),
  command(policyTestCommand, async () => (await import('./policy-test.ts')).runPolicyTest),
  command(subscribeCommand, async () => (await import('./subscribe.ts')).runSubscribe),
  command(serviceCommand, async () => (await fromPackage('appreg-service', import('./service.ts'))).runService),
  command(
    serviceBackupCommand,
    async () => (await fromPackage('appreg-service', import('./service-backup.ts'))).runServiceBackup,
  ),
  command(
    serviceRestoreCommand,
    async () => (await fromPackage('appreg-service', import('./service-restore.ts'))).runServiceRestore,
  ),
  command(
    conformanceCommand,
    async () => (await fromPackage('appreg-conformance', import('./conformance.ts'))).runConformanceList,
  ),
  command(
    conformanceDocumentsCommand,
    async () => (await fromPackage('appreg-conformance', import('./conformance-documents.ts'))).runConformanceDocuments,
  ),
  command(
    conformanceHostCommand,
    async () => (await fromPackage('appreg-conformance', import('./conformance-host.ts'))).runConformanceHost,
  ),
  command(
    conformanceFixturesCommand,
    async () => (await fromPackage('appreg-conformance', import('./conformance-fixtures.ts'))).runConformanceFixtures,
  ),
  command(
    conformanceSubscriberCommand,
    async () =>
      (await fromPackage('appreg-conformance', import('./conformance-subscriber.ts'))).runConformanceSubscriber,
  ),
  command(completionCommand, async () => (await import('./completion.ts')).runCompletion),
];
