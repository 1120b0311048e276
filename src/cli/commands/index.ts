import type { CommandDefinition } from '../command-definition.ts';
import type { Context } from '../context.ts';
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

/** Implements a command: receives the context, then arguments and options; resolves to the exit code. */
type Action = (context: Context, ...rest: any[]) => Promise<number>;

export interface Command {
  definition: CommandDefinition;
  /** Imports the implementation, which may be large. */
  load(): Promise<Action>;
}

/** All commands, in the order of the help; a subcommand after its command. */
export const COMMANDS: readonly Command[] = [
  { definition: initCommand, load: async () => (await import('./init/run.ts')).runInit },
  { definition: addAppCommand, load: async () => (await import('./add-app/run.ts')).runAddApp },
  { definition: editAppCommand, load: async () => (await import('./edit-app/run.ts')).runEditApp },
  { definition: removeAppCommand, load: async () => (await import('./remove-app/run.ts')).runRemoveApp },
  { definition: assembleCommand, load: async () => (await import('./assemble/run.ts')).runAssemble },
  { definition: bundleCommand, load: async () => (await import('./bundle/run.ts')).runBundle },
  { definition: checksumCommand, load: async () => (await import('./checksum/run.ts')).runChecksum },
  { definition: publishVersionCommand, load: async () => (await import('./publish-version/run.ts')).runPublishVersion },
  { definition: deprecateCommand, load: async () => (await import('./deprecate/run.ts')).runDeprecate },
  { definition: releaseCommand, load: async () => (await import('./release/run.ts')).runRelease },
  { definition: lintCommand, load: async () => (await import('./lint/run.ts')).runLint },
  { definition: verifyCommand, load: async () => (await import('./verify/run.ts')).runVerify },
  { definition: diagnoseCommand, load: async () => (await import('./diagnose/run.ts')).runDiagnose },
  { definition: lockCommand, load: async () => (await import('./lock/run.ts')).runLock },
  { definition: mirrorCommand, load: async () => (await import('./mirror/run.ts')).runMirror },
  { definition: diffCommand, load: async () => (await import('./diff/run.ts')).runDiff },
  { definition: attestationCommand, load: async () => (await import('./attestation/run.ts')).runAttestation },
  { definition: judgeCommand, load: async () => (await import('./judge/run.ts')).runJudge },
  { definition: explainCommand, load: async () => (await import('./explain/run.ts')).runExplain },
  { definition: rulesCommand, load: async () => (await import('./rules/run.ts')).runRules },
  { definition: policyCommand, load: async () => (await import('./policy/run.ts')).runPolicy },
  { definition: policyTestCommand, load: async () => (await import('./policy-test/run.ts')).runPolicyTest },
  { definition: siteCommand, load: async () => (await import('./site/run.ts')).runSite },
  { definition: subscribeCommand, load: async () => (await import('./subscribe/run.ts')).runSubscribe },
  { definition: serveCommand, load: async () => (await import('./serve/run.ts')).runServe },
  { definition: serviceCommand, load: async () => (await import('./service/run.ts')).runService },
  { definition: serviceBackupCommand, load: async () => (await import('./service-backup/run.ts')).runServiceBackup },
  { definition: serviceRestoreCommand, load: async () => (await import('./service-restore/run.ts')).runServiceRestore },
  { definition: conformanceCommand, load: async () => (await import('./conformance/run.ts')).runConformanceList },
  {
    definition: conformanceDocumentsCommand,
    load: async () => (await import('./conformance-documents/run.ts')).runConformanceDocuments,
  },
  {
    definition: conformanceHostCommand,
    load: async () => (await import('./conformance-host/run.ts')).runConformanceHost,
  },
  {
    definition: conformanceFixturesCommand,
    load: async () => (await import('./conformance-fixtures/run.ts')).runConformanceFixtures,
  },
  {
    definition: conformanceSubscriberCommand,
    load: async () => (await import('./conformance-subscriber/run.ts')).runConformanceSubscriber,
  },
  { definition: completionCommand, load: async () => (await import('./completion/run.ts')).runCompletion },
];
