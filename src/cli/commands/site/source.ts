import { relative, resolve, sep } from 'node:path';
import { AppregError } from '../../../core/errors.ts';
import { parseUrl } from '../../../core/http/url.ts';
import { message } from '../../../core/text/message.ts';
import { redact } from '../../../core/text/text.ts';
import { asBase, isWithin } from '../../../observe/workspace/places.ts';
import type { VerifyBundle } from '../../../observe/registry/attestation.ts';
import type { RegistryDocuments } from '../../../observe/workspace/tree-snapshot.ts';
import { type AttestationOf, observedAttestation } from '../../../site/catalogue.ts';
import { localAttestations } from '../../../site/local-attestations.ts';
import type { SiteRegistry } from '../../../site/registry.ts';
import { registryDocuments, type StateOptions } from '../../../workspace/registry-state.ts';
import type { OptionValues } from '../../command-definition.ts';
import type { LoadedConfig } from '../../config/config.ts';
import type { Context, GlobalOptions } from '../../context.ts';
import { trustOf } from '../../signer-options.ts';
import { stateOptions } from '../../state-options.ts';
import type { siteCommand } from './options.ts';

export type SiteOptions = GlobalOptions & OptionValues<typeof siteCommand.options>;

/** What a site is made of. */
export interface SiteSource {
  documents: RegistryDocuments;
  attestationOf: AttestationOf;
  site: SiteRegistry;
  /** The folder of the registry; null if it is elsewhere. */
  registryFolder: string | null;
}

/**
 * Reads the registry that the options name.
 * @param folder of the site, absolute
 * @throws AppregError if it cannot be read, or if its URL is not known
 */
export async function siteSource(context: Context, folder: string, options: SiteOptions): Promise<SiteSource> {
  const where = options.from ?? '.';
  const documents = await registryDocuments(where, siteState(context, options));
  const { manifest } = documents;
  const registry = documents.folder && {
    root: documents.folder.root,
    base: documents.folder.baseUrl === null ? null : asBase(documents.folder.baseUrl),
  };
  const loaded = await context.config(registry?.root ?? context.cwd);
  const { baseUrl, site } = loaded.config;
  const url = redact(manifest.url ?? manifestUrl(registry?.base ?? baseUrl ?? null, manifest.file ?? 'registry.json'));
  const base = options.baseUrl ?? site?.baseUrl ?? (registry === null ? null : baseBelow(registry, folder));
  return {
    documents,
    attestationOf: registry === null ? observedAttestation : localAttestations(registry, () => openVerifier(loaded)),
    site: {
      url,
      title: options.title ?? site?.title ?? `Apps of ${parseUrl(url)?.host ?? url}`,
      base: base === null ? null : asBase(base),
    },
    registryFolder: registry?.root ?? null,
  };
}

interface LocalRegistry {
  root: string;
  base: string | null;
}

/** @throws AppregError `base-url-missing` */
function manifestUrl(base: string | null, manifest: string): string {
  if (base !== null) return asBase(base) + encodeURIComponent(manifest);
  throw new AppregError(
    'base-url-missing',
    message`The configuration has no baseUrl, so the pages cannot say how to subscribe to the registry.`,
    message`Add "baseUrl" to appreg.config.json, or give the URL of the registry: --from <url>`,
  );
}

/** The address of a site in the folder of its registry; null for a site elsewhere. */
function baseBelow({ root, base }: LocalRegistry, folder: string): string | null {
  if (base === null || !isWithin(root, folder)) return null;
  const path = relative(root, folder).split(sep).map(encodeURIComponent).join('/');
  return path === '' ? base : `${base}${path}/`;
}

/** Of a live registry, about files and attestations are requested. */
function siteState(context: Context, options: SiteOptions): StateOptions {
  const state = stateOptions(context, options);
  return {
    ...state,
    about: true,
    async webOptions(registry) {
      const web = await state.webOptions?.(registry);
      return { ...web, attestations: await openVerifier(await context.config(context.cwd)) };
    },
  };
}

/** Verifies attestations with what the configuration names. */
async function openVerifier({ config, root }: LoadedConfig): Promise<VerifyBundle> {
  const { key, trustedRoot } = config.evidence?.attestations ?? {};
  const inFolder = (file: string | undefined): string | undefined => file && resolve(root, file);
  const trust = await trustOf(root, { key: inFolder(key), trustedRoot: inFolder(trustedRoot) });
  const { verifyAttestation } = await import('../../../attestation/verify.ts');
  return (bundle) => verifyAttestation(bundle, trust);
}
