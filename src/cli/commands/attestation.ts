import { verifyAttestation } from '../../attestation/verify.ts';
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { companionPath, LARGEST_COMPANION } from '../../core/registry/companion.ts';
import type { AttestationFacts } from '../../core/facts/attestation.ts';
import { judgeAttestation } from '../../core/attestation/judge.ts';
import { artifactSubject, type AppVersion } from '../../core/attestation/statement.ts';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { printable } from '../../core/text/text.ts';
import { isSafeKey } from '../../core/registry/app-key.ts';
import { isSemver } from '../../core/registry/version.ts';
import { readChunks } from '../../platform/read-chunks.ts';
import type { OptionValues } from '../define/command.ts';
import type { Context } from '../config/context.ts';
import { INSTEAD_OF_FOLDER, readInputFile, refuseUnreadableInput, unreadableFile } from '../io/input-file.ts';
import { printResult } from '../io/results.ts';
import { signerPolicy, trustOf } from '../check/attester.ts';
import type { attestationCommand } from '../define/attestation.ts';

type Options = OptionValues<typeof attestationCommand.options>;

/**
 * `appreg attestation <artifact>`: verifies the attestation of one artifact, without the network. Exit 1 if it does not
 * prove what the options require; 2 if a file cannot be read, or if they do not say who has to have signed.
 */
export async function runAttestation(context: Context, artifact: string, options: Options): Promise<number> {
  const { cwd, terminal } = context;
  const app = options.app === undefined ? null : appVersion(options.app);
  const trust = await trustOf(cwd, options);
  const signer = signerPolicy(options, trust);
  const bundle = options.bundle ?? companionPath(artifact, 'attestation');
  const bytes = readInputFile(cwd, artifact, INSTEAD_OF_FOLDER);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const facts = verifyAttestation(await readBundle(resolve(cwd, bundle), bundle), trust, bytes);
  const problem = judgeAttestation(facts, { sha256, app, sbomSha256: null, signer });
  printResult<'attestation'>(context, {
    pretty: () => (problem === null ? describe(artifact, sha256, facts, app) : null),
    json: () => ({
      artifact,
      checksum: `sha256:${sha256}`,
      bundle,
      app: app && artifactSubject(app),
      outcome: problem === null ? 'verified' : 'refused',
      problem,
      facts,
    }),
    summary: () => (problem === null ? message`${artifact}: verified` : message`${artifact}: refused`),
  });
  if (problem !== null) terminal.error(problem.message, problem.advice);
  return problem === null ? 0 : 1;
}

function appVersion(text: string): AppVersion {
  const at = text.indexOf('@');
  const [key, version] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (isSafeKey(key) && isSemver(version)) return { key, version };
  throw new AppregError(
    'option-invalid',
    message`--app “${text}” is not an app key and a version.`,
    message`Write --app clock@1.2.0.`,
  );
}

/** A bundle; of one that is too large, only enough to see that. */
async function readBundle(path: string, shownAs: string): Promise<Buffer> {
  refuseUnreadableInput(path, shownAs);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of readChunks(path)) {
      chunks.push(Buffer.from(chunk));
      if ((size += chunk.length) > LARGEST_COMPANION.attestation) break;
    }
  } catch (error) {
    throw unreadableFile(shownAs, error);
  }
  return Buffer.concat(chunks);
}

function describe(
  artifact: string,
  sha256: string,
  { signer, signedAt, log, content, root }: AttestationFacts,
  app: AppVersion | null,
): string {
  const build = content?.kind === 'statement' ? content.statement.build : null;
  const certificate = signer?.kind === 'certificate' ? signer : null;
  const subjects =
    content?.kind === 'statement' ? content.statement.subjects.filter((one) => one.sha256 === sha256) : [];
  const lines: [label: string, value: string | null | undefined][] = [
    ['subject', subjects.map(({ name }) => name).join(', ') || 'the bytes alone'],
    ['build', app === null ? 'not judged without --app' : build?.buildType],
    ['signer', certificate?.identity],
    ['issuer', certificate?.issuer],
    ['key', signer?.kind === 'key' ? `sha256:${signer.sha256}` : null],
    ['repository', certificate?.repository ?? build?.parameters?.workflow?.repository],
    ['commit', certificate?.commit ?? build?.commit],
    ['run', certificate?.run ?? build?.run],
    ['signed', signedAt],
    ['log entry', log.map(({ index }) => index).join(', ')],
    ['root of', root.date.slice(0, 10)],
  ];
  return [
    `${printable(artifact)}: verified`,
    `  sha256:${sha256}`,
    ...lines.flatMap(([label, value]) => (value ? [`  ${label.padEnd(11)} ${printable(value)}`] : [])),
  ].join('\n');
}
