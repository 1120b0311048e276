import { type AboutMemory, type ObservedAbout } from '../../observe/registry/about.ts';
import { type AppFacts, type Failure, isMissing } from '../../core/facts/facts.ts';
import { type LearnedAbout } from '../domain/about.ts';
import { type AppRecords } from '../db/app-records.ts';
import { type RequestCredentials, unlessSecret } from './credentials.ts';
import { redactedMissing } from '../domain/hidden-network.ts';

/** The about files of a refresh: each is requested once, on condition that it differs from the stored one. */
export interface AboutFiles {
  /** For the observation. */
  memory: AboutMemory;
  /** What was learned of the file of an app, and the facts to judge; once for each app. */
  take(facts: AppFacts): { learned: LearnedAbout; facts: AppFacts };
}

/** @param report receives failures of the network, which subscribers do not see */
export function openAboutFiles(
  records: Pick<AppRecords, 'read'>,
  credentials: RequestCredentials,
  report: (failure: Failure) => void,
): AboutFiles {
  const observed = new Map<string, ObservedAbout>();
  return {
    memory: {
      known: async (key) => (await records.read(key))?.about.file ?? null,
      keep: (key, about) => void observed.set(key, about),
    },
    take(facts) {
      const { key } = facts;
      const one = observed.get(key) ?? null;
      observed.delete(key);
      return { learned: learnedFrom(facts, one, credentials), facts: judgedFacts(facts, one, report) };
    },
  };
}

function learnedFrom(
  { about }: AppFacts,
  observed: ObservedAbout | null,
  credentials: RequestCredentials,
): LearnedAbout {
  // Its metadata file could not be read, so that it was not requested.
  if (observed === null) return 'unknown';
  if (about === undefined) return 'absent';
  const { content } = about;
  if (isMissing(content)) return content.missing.code === 'url-signed' ? 'absent' : 'unknown';
  const { known } = observed;
  // The content is free of credentials; a host may echo them elsewhere.
  const request = known && unlessSecret(credentials, { url: known.url, condition: known.condition });
  return { url: request?.url ?? '', condition: request?.condition ?? null, content };
}

/** The facts without what is no news, or would reveal the network of the service. */
function judgedFacts(facts: AppFacts, observed: ObservedAbout | null, report: (failure: Failure) => void): AppFacts {
  const { about, ...rest } = facts;
  if (about === undefined || !isMissing(about.content)) return facts;
  // A metadata file with such a URL has no about file.
  if (about.content.missing.code === 'url-signed') return rest;
  return { ...rest, about: { ...about, content: redactedMissing(about.content, observed?.failure ?? null, report) } };
}
