import type { AnyRule } from '../rule.ts';
import { fileMissing } from './file-missing.ts';
import { fileNameDiffers } from './file-name-differs.ts';
import { documentUnreadable } from './document-unreadable.ts';
import { documentOversized } from './document-oversized.ts';
import { schemaViolation } from './schema-violation.ts';
import { jsonDuplicateKey } from './json-duplicate-key.ts';
import { jsonByteOrderMark } from './json-byte-order-mark.ts';
import { propertyUnknown } from './property-unknown.ts';
import { textEmpty } from './text-empty.ts';
import { textUnprintable } from './text-unprintable.ts';
import { appKeyUnsafe } from './app-key-unsafe.ts';
import { appKeyAmbiguous } from './app-key-ambiguous.ts';
import { appKeyUnportable } from './app-key-unportable.ts';
import { noApps } from './no-apps.ts';
import { blockColorMalformed } from './block-color-malformed.ts';
import { metadataUrlShared } from './metadata-url-shared.ts';
import { urlMalformed } from './url-malformed.ts';
import { urlInsecure } from './url-insecure.ts';
import { urlPortBlocked } from './url-port-blocked.ts';
import { urlUnusual } from './url-unusual.ts';
import { urlUnstable } from './url-unstable.ts';
import { urlSignedExpiring } from './url-signed-expiring.ts';
import { iconSuffix } from './icon-suffix.ts';
import { artifactSuffix } from './artifact-suffix.ts';
import { versionNotSemver } from './version-not-semver.ts';
import { versionNotPlain } from './version-not-plain.ts';
import { versionNumberTooLarge } from './version-number-too-large.ts';
import { versionDuplicate } from './version-duplicate.ts';
import { noValidVersions } from './no-valid-versions.ts';
import { checksumMalformed } from './checksum-malformed.ts';
import { checksumPlaceholder } from './checksum-placeholder.ts';
import { artifactUrlShared } from './artifact-url-shared.ts';
import { checksumShared } from './checksum-shared.ts';
import { metadataOrphaned } from './metadata-orphaned.ts';
import { versionWithdrawn } from './version-withdrawn.ts';
import { artifactChanged } from './artifact-changed.ts';
import { artifactMoved } from './artifact-moved.ts';
import { appWithdrawn } from './app-withdrawn.ts';
import { appNotListed } from './app-not-listed.ts';
import { versionNotListed } from './version-not-listed.ts';
import { unreachable } from './unreachable.ts';
import { tlsUntrusted } from './tls-untrusted.ts';
import { tlsExpiring } from './tls-expiring.ts';
import { redirectInsecure } from './redirect-insecure.ts';
import { redirectExcessive } from './redirect-excessive.ts';
import { urlMoved } from './url-moved.ts';
import { headRefused } from './head-refused.ts';
import { rateLimited } from './rate-limited.ts';
import { unsolicitedContinue } from './unsolicited-continue.ts';
import { addressesDiffer } from './addresses-differ.ts';
import { hostLimitsRequests } from './host-limits-requests.ts';
import { hostIntermittent } from './host-intermittent.ts';
import { corsMissing } from './cors-missing.ts';
import { corsInvalid } from './cors-invalid.ts';
import { corsOriginRefused } from './cors-origin-refused.ts';
import { corsPreflightRefused } from './cors-preflight-refused.ts';
import { corsNotVaried } from './cors-not-varied.ts';
import { corsHeadRefused } from './cors-head-refused.ts';
import { corsRevalidationRefused } from './cors-revalidation-refused.ts';
import { corsWildcard } from './cors-wildcard.ts';
import { browserRefused } from './browser-refused.ts';
import { compressedCopyUnreadable } from './compressed-copy-unreadable.ts';
import { compressedCopyDiffers } from './compressed-copy-differs.ts';
import { compressedCopyNotVaried } from './compressed-copy-not-varied.ts';
import { answersDiffer } from './answers-differ.ts';
import { contentTypeWrong } from './content-type-wrong.ts';
import { cacheLifetimeLong } from './cache-lifetime-long.ts';
import { cacheLifetimeMissing } from './cache-lifetime-missing.ts';
import { conditionalRequestRejected } from './conditional-request-rejected.ts';
import { notModifiedIncorrect } from './not-modified-incorrect.ts';
import { etagUnstable } from './etag-unstable.ts';
import { lastModifiedOnly } from './last-modified-only.ts';
import { contentEncoded } from './content-encoded.ts';
import { artifactChecksumMismatch } from './artifact-checksum-mismatch.ts';
import { artifactBomb } from './artifact-bomb.ts';
import { artifactNoApp } from './artifact-no-app.ts';
import { artifactNotTarGz } from './artifact-not-tar-gz.ts';
import { artifactUnsafeEntry } from './artifact-unsafe-entry.ts';
import { artifactTrailingData } from './artifact-trailing-data.ts';
import { iconNotImage } from './icon-not-image.ts';
import { iconTypeWrong } from './icon-type-wrong.ts';
import { iconEmbeddingRefused } from './icon-embedding-refused.ts';
import { iconOversized } from './icon-oversized.ts';
import { iconSvgActive } from './icon-svg-active.ts';

/** Every rule, in the order of the documentation. Within one resource, an earlier rule can silence a later one (`unless`). */
export const rules: readonly AnyRule[] = [
  fileMissing,
  fileNameDiffers,
  documentUnreadable,
  documentOversized,
  schemaViolation,
  jsonDuplicateKey,
  jsonByteOrderMark,
  propertyUnknown,
  textEmpty,
  textUnprintable,
  appKeyUnsafe,
  appKeyAmbiguous,
  appKeyUnportable,
  noApps,
  blockColorMalformed,
  metadataUrlShared,
  urlMalformed,
  urlInsecure,
  urlPortBlocked,
  urlUnusual,
  urlUnstable,
  urlSignedExpiring,
  iconSuffix,
  artifactSuffix,
  versionNotSemver,
  versionNotPlain,
  versionNumberTooLarge,
  versionDuplicate,
  noValidVersions,
  checksumMalformed,
  checksumPlaceholder,
  artifactUrlShared,
  checksumShared,
  metadataOrphaned,
  versionWithdrawn,
  artifactChanged,
  artifactMoved,
  appWithdrawn,
  appNotListed,
  versionNotListed,
  unreachable,
  tlsUntrusted,
  tlsExpiring,
  addressesDiffer,
  redirectInsecure,
  redirectExcessive,
  urlMoved,
  headRefused,
  rateLimited,
  hostLimitsRequests,
  hostIntermittent,
  unsolicitedContinue,
  corsMissing,
  corsInvalid,
  corsOriginRefused,
  corsPreflightRefused,
  corsNotVaried,
  corsHeadRefused,
  corsRevalidationRefused,
  corsWildcard,
  browserRefused,
  compressedCopyUnreadable,
  compressedCopyDiffers,
  compressedCopyNotVaried,
  answersDiffer,
  contentTypeWrong,
  cacheLifetimeLong,
  cacheLifetimeMissing,
  notModifiedIncorrect,
  conditionalRequestRejected,
  etagUnstable,
  lastModifiedOnly,
  contentEncoded,
  artifactChecksumMismatch,
  artifactBomb,
  artifactNotTarGz,
  artifactUnsafeEntry,
  artifactNoApp,
  artifactTrailingData,
  iconNotImage,
  iconTypeWrong,
  iconEmbeddingRefused,
  iconOversized,
  iconSvgActive,
];
