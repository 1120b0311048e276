import type { BuildFacts, StatementFacts, SubjectFacts } from '../facts/attestation.ts';
import { jsonValueIn } from '../json/value-in.ts';
import { isObject, type JsonObject, type JsonValue, stringOrNull } from '../json/values.ts';
import type { Digest } from '../values/scalars.ts';
import { APPREG_BUILD, type CiRun, readBuildParameters } from './build-types.ts';

/**
 * The signed statement: in-toto Statement v1 (https://in-toto.io/Statement/v1) with SLSA provenance v1
 * (https://slsa.dev/provenance/v1) as its predicate.
 */

export const STATEMENT_MEDIA_TYPE = 'application/vnd.in-toto+json';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PROVENANCE_TYPE = 'https://slsa.dev/provenance/v1';
/** The number of subjects of the largest statement that is read. */
const MOST_SUBJECTS = 1024;

/** A version of an app, by their names. */
export interface AppVersion {
  key: string;
  version: string;
}

/** The name of the subject that is the artifact. It binds the digest to the version. */
export function artifactSubject({ key, version }: AppVersion): string {
  return `${key}@${version}`;
}

/** The name of the subject that is the bill of materials. Neither keys nor versions contain a slash. */
export function sbomSubject(app: AppVersion): string {
  return `${artifactSubject(app)}${SBOM_SUFFIX}`;
}

/** True for the name of a subject that is the bill of materials of a version. */
export function isSbomSubject(name: string): boolean {
  return name.endsWith(SBOM_SUFFIX);
}

const SBOM_SUFFIX = '/sbom.cdx.json';

/** Subject and build of a new statement. */
export interface StatementInput {
  app: AppVersion;
  /** Of the artifact. */
  sha256: Digest;
  /** Of the bill of materials; null without one. */
  sbomSha256: Digest | null;
  /** The run of a CI system; null for any other build. */
  run: CiRun | null;
  toolVersion: string;
}

/** @returns the statement as JSON text: the same text for the same input */
export function provenanceStatement({ app, sha256, sbomSha256, run, toolVersion }: StatementInput): string {
  const subject = [{ name: artifactSubject(app), digest: { sha256 } }];
  if (sbomSha256 !== null) subject.push({ name: sbomSubject(app), digest: { sha256: sbomSha256 } });
  const { key, version } = app;
  return JSON.stringify({
    _type: STATEMENT_TYPE,
    subject,
    predicateType: PROVENANCE_TYPE,
    predicate: {
      buildDefinition: {
        buildType: APPREG_BUILD,
        externalParameters: { app: key, version, ...(run && { workflow: run.workflow }) },
        ...(run && { resolvedDependencies: [sourceOf(run)] }),
      },
      runDetails: {
        builder: { id: run?.builder ?? LOCAL_BUILDER, version: { appreg: toolVersion } },
        ...(run && { metadata: { invocationId: run.url } }),
      },
    },
  });
}

/** The builder of a version that was not built by a CI system. */
const LOCAL_BUILDER = 'https://github.com/appreg/appreg/blob/main/docs/attestations.md#local-builder';

function sourceOf({ workflow, commit }: CiRun): object {
  return { uri: `git+${workflow.repository}@${workflow.ref}`, digest: { gitCommit: commit } };
}

/** @returns null for a text that is not an in-toto statement v1 */
export function parseStatement(text: string): StatementFacts | null {
  const statement = jsonValueIn(text);
  if (!isObject(statement) || statement['_type'] !== STATEMENT_TYPE) return null;
  const { predicateType, subject, predicate } = statement;
  if (typeof predicateType !== 'string' || !Array.isArray(subject)) return null;
  if (subject.length === 0 || subject.length > MOST_SUBJECTS) return null;
  const subjects = subject.map(subjectOf);
  if (subjects.includes(null)) return null;
  const build = predicateType === PROVENANCE_TYPE && isObject(predicate) ? buildOf(predicate) : null;
  return { subjects: subjects.filter((one) => one !== null), predicateType, build };
}

function subjectOf(subject: JsonValue): SubjectFacts | null {
  if (!isObject(subject) || typeof subject['name'] !== 'string') return null;
  const digest = memberOf(subject, 'digest')['sha256'];
  return { name: subject['name'], sha256: typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest) ? digest : null };
}

function buildOf(predicate: JsonObject): BuildFacts | null {
  const definition = memberOf(predicate, 'buildDefinition');
  const details = memberOf(predicate, 'runDetails');
  const { buildType, externalParameters, resolvedDependencies } = definition;
  if (typeof buildType !== 'string' || !isObject(externalParameters)) return null;
  const source = Array.isArray(resolvedDependencies) ? resolvedDependencies[0] : undefined;
  return {
    buildType,
    parameters: readBuildParameters(buildType, externalParameters),
    commit: isObject(source) ? stringOrNull(memberOf(source, 'digest')['gitCommit']) : null,
    builder: stringOrNull(memberOf(details, 'builder')['id']),
    run: stringOrNull(memberOf(details, 'metadata')['invocationId']),
  };
}

/** A member that is an object; an empty one without it. */
function memberOf(parent: JsonObject, name: string): JsonObject {
  const member = parent[name];
  return isObject(member) ? member : {};
}
