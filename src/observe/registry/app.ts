import {
  type AppFacts,
  type ArtifactFacts,
  type DocumentFacts,
  type IconFacts,
  isMissing,
  type Missing,
} from '../../core/facts/facts.ts';
import { isAnswered } from '../../core/http/probe.ts';
import type { JsonValue } from '../../core/json/json.ts';
import { iconUrlOf, listedVersionsIn, metadataUrlOf } from '../../core/registry/manifest.ts';
import type { ObservedAbout } from './about.ts';
import { observeArtifacts } from './artifacts.ts';
import { type RegistryRun, reasonNotRequestable } from './run.ts';
import { isRequestable } from '../http/request.ts';

/** An app, with what a later run needs of its about file: null if it was not requested. */
export interface ObservedApp {
  facts: AppFacts;
  about: ObservedAbout | null;
}

/** Observes one app: its metadata and icon at once, and its artifacts as soon as the metadata lists them. */
export async function observeApp(key: string, entry: JsonValue, run: RegistryRun): Promise<ObservedApp> {
  const { context, options, shared } = run;
  const known = (await options.memory?.app(key)) ?? null;
  let artifacts: Promise<ArtifactFacts[]> | null = null;
  const startArtifacts = (content: DocumentFacts['content']): Promise<ArtifactFacts[]> => {
    if (artifacts === null) {
      artifacts = observeArtifacts(key, listedVersionsIn(content) ?? [], run, known);
      // Awaited with the rest; until then a rejection must not count as unhandled.
      artifacts.catch(() => {});
    }
    return artifacts;
  };
  const url = metadataUrlOf(entry);
  const fetchingMetadata = isRequestable(url)
    ? shared.metadata(url, context, known?.facts.metadata ?? null, startArtifacts)
    : Promise.resolve(notRequestable(url));
  const observeMetadata = async (): Promise<DocumentFacts> => {
    const facts = await fetchingMetadata;
    run.figures.done += 1;
    run.figures.apps += 1;
    await startArtifacts(facts.content);
    return facts;
  };
  const observeAppIcon = async (): Promise<IconFacts> => {
    const url = iconUrlOf(entry);
    const facts = isRequestable(url)
      ? await shared.icon(url, context, known?.facts.icon ?? null)
      : { ...notRequestable(url), image: reasonNotRequestable(url) };
    run.figures.done += 1;
    return facts;
  };
  const observeAppAbout = async (): Promise<ObservedAbout | null> => {
    if (options.about !== true || !isRequestable(url)) return null;
    const { memory } = options;
    if (memory?.about === undefined) return shared.about({ metadataUrl: url, known: null, confirms: true }, context);
    // A host that fails is not asked for it as well, and whether it answers 304 to everything is known then.
    const { web } = await fetchingMetadata;
    if (isMissing(web) || !isAnswered(web.server)) return null;
    return shared.about({ metadataUrl: url, known: await memory.about(key), confirms: false }, context);
  };
  const [icon, metadata, about] = await Promise.all([observeAppIcon(), observeMetadata(), observeAppAbout()]);
  const facts: AppFacts = { key, metadata, icon, artifacts: await startArtifacts(metadata.content) };
  const file = about?.facts ?? null;
  return { facts: file === null ? facts : { ...facts, about: file }, about };
}

function notRequestable(url: string | null): { url: string | null; file: null; web: Missing; content: Missing } {
  const reason = reasonNotRequestable(url);
  return { url, file: null, web: reason, content: reason };
}
