import type { AnyRule } from './rule.ts';
import { aboutInvalid } from './about/about-invalid.ts';
import { aboutVersionUnknown } from './about/about-version-unknown.ts';
import { allVersionsDeprecated } from './about/all-versions-deprecated.ts';
import { replacementInvalid } from './about/replacement-invalid.ts';
import { fileMissing } from './documents/file-missing.ts';
import { fileNameDiffers } from './documents/file-name-differs.ts';
import { documentUnreadable } from './documents/document-unreadable.ts';
import { documentOversized } from './documents/document-oversized.ts';
import { schemaViolation } from './documents/schema-violation.ts';
import { jsonDuplicateKey } from './documents/json-duplicate-key.ts';
import { jsonByteOrderMark } from './documents/json-byte-order-mark.ts';
import { propertyUnknown } from './documents/property-unknown.ts';
import { textEmpty } from './documents/text-empty.ts';
import { textUnprintable } from './documents/text-unprintable.ts';
import { appKeyUnsafe } from './manifest/app-key-unsafe.ts';
import { appKeyAmbiguous } from './manifest/app-key-ambiguous.ts';
import { appKeyUnportable } from './manifest/app-key-unportable.ts';
import { noApps } from './manifest/no-apps.ts';
import { blockColorMalformed } from './manifest/block-color-malformed.ts';
import { urlOfOtherApp } from './manifest/url-of-other-app.ts';
import { metadataUrlShared } from './manifest/metadata-url-shared.ts';
import { urlMalformed } from './urls/url-malformed.ts';
import { urlPlaceholder } from './urls/url-placeholder.ts';
import { urlOfPage } from './urls/url-of-page.ts';
import { urlInsecure } from './urls/url-insecure.ts';
import { urlPortBlocked } from './urls/url-port-blocked.ts';
import { urlUnusual } from './urls/url-unusual.ts';
import { urlUnstable } from './urls/url-unstable.ts';
import { urlSignedExpiring } from './urls/url-signed-expiring.ts';
import { iconSuffix } from './urls/icon-suffix.ts';
import { artifactSuffix } from './urls/artifact-suffix.ts';
import { versionNotSemver } from './metadata/version-not-semver.ts';
import { versionNotPlain } from './metadata/version-not-plain.ts';
import { versionNumberTooLarge } from './metadata/version-number-too-large.ts';
import { versionDuplicate } from './metadata/version-duplicate.ts';
import { noValidVersions } from './metadata/no-valid-versions.ts';
import { checksumMalformed } from './metadata/checksum-malformed.ts';
import { checksumPlaceholder } from './metadata/checksum-placeholder.ts';
import { artifactUrlShared } from './metadata/artifact-url-shared.ts';
import { versionOfOtherApp } from './metadata/version-of-other-app.ts';
import { checksumShared } from './metadata/checksum-shared.ts';
import { metadataOrphaned } from './documents/metadata-orphaned.ts';
import { versionWithdrawn } from './history/version-withdrawn.ts';
import { artifactChanged } from './history/artifact-changed.ts';
import { artifactMoved } from './history/artifact-moved.ts';
import { deploymentStale } from './history/deployment-stale.ts';
import { workspaceBehind } from './history/workspace-behind.ts';
import { appWithdrawn } from './history/app-withdrawn.ts';
import { appNotListed } from './manifest/app-not-listed.ts';
import { versionNotListed } from './metadata/version-not-listed.ts';
import { unreachable } from './http/unreachable.ts';
import { tlsUntrusted } from './http/tls-untrusted.ts';
import { tlsExpiring } from './http/tls-expiring.ts';
import { tlsBrowserUnsupported } from './http/tls-browser-unsupported.ts';
import { redirectInsecure } from './http/redirect-insecure.ts';
import { redirectExcessive } from './http/redirect-excessive.ts';
import { urlMoved } from './urls/url-moved.ts';
import { headRefused } from './http/head-refused.ts';
import { rangeRequestUnanswered } from './http/range-request-unanswered.ts';
import { rateLimited } from './http/rate-limited.ts';
import { unsolicitedContinue } from './http/unsolicited-continue.ts';
import { addressesDiffer } from './http/addresses-differ.ts';
import { hostLimitsRequests } from './http/host-limits-requests.ts';
import { hostIntermittent } from './http/host-intermittent.ts';
import { corsMissing } from './cors/cors-missing.ts';
import { corsInvalid } from './cors/cors-invalid.ts';
import { corsOriginRefused } from './cors/cors-origin-refused.ts';
import { corsPreflightRefused } from './cors/cors-preflight-refused.ts';
import { corsNotVaried } from './cors/cors-not-varied.ts';
import { corsHeadRefused } from './cors/cors-head-refused.ts';
import { corsRevalidationRefused } from './cors/cors-revalidation-refused.ts';
import { corsWildcard } from './cors/cors-wildcard.ts';
import { browserRefused } from './http/browser-refused.ts';
import { compressedCopyUnreadable } from './http/compressed-copy-unreadable.ts';
import { compressedCopyDiffers } from './http/compressed-copy-differs.ts';
import { compressedCopyNotVaried } from './http/compressed-copy-not-varied.ts';
import { answersDiffer } from './http/answers-differ.ts';
import { contentTypeWrong } from './http/content-type-wrong.ts';
import { cacheLifetimeLong } from './caching/cache-lifetime-long.ts';
import { cacheLifetimeMissing } from './caching/cache-lifetime-missing.ts';
import { conditionalRequestRejected } from './caching/conditional-request-rejected.ts';
import { notModifiedIncorrect } from './caching/not-modified-incorrect.ts';
import { etagUnstable } from './caching/etag-unstable.ts';
import { lastModifiedOnly } from './caching/last-modified-only.ts';
import { contentEncoded } from './http/content-encoded.ts';
import { artifactChecksumMismatch } from './artifacts/artifact-checksum-mismatch.ts';
import { artifactBomb } from './artifacts/artifact-bomb.ts';
import { artifactNoApp } from './artifacts/artifact-no-app.ts';
import { artifactNotTarGz } from './artifacts/artifact-not-tar-gz.ts';
import { artifactUnsafeEntry } from './artifacts/artifact-unsafe-entry.ts';
import { artifactSecret } from './artifacts/artifact-secret.ts';
import { artifactLeftover } from './artifacts/artifact-leftover.ts';
import { artifactTrailingData } from './artifacts/artifact-trailing-data.ts';
import { attestationLost } from './attestations/attestation-lost.ts';
import { attestationMissing } from './attestations/attestation-missing.ts';
import { attestationInvalid } from './attestations/attestation-invalid.ts';
import { attestationOtherVersion } from './attestations/attestation-other-version.ts';
import { attestationIdentity } from './attestations/attestation-identity.ts';
import { iconNotImage } from './icons/icon-not-image.ts';
import { iconTypeWrong } from './icons/icon-type-wrong.ts';
import { iconEmbeddingRefused } from './icons/icon-embedding-refused.ts';
import { iconOversized } from './icons/icon-oversized.ts';
import { iconSvgActive } from './icons/icon-svg-active.ts';
import { serviceNotLookedYet } from './service/service-not-looked-yet.ts';
import { serviceVersionWithdrawn } from './service/service-version-withdrawn.ts';
import { serviceFirstSeenDiffers } from './service/service-first-seen-differs.ts';
import { serviceDisagrees } from './service/service-disagrees.ts';
import { serviceRefused } from './service/service-refused.ts';
import { servicePolicy } from './service/service-policy.ts';
import { exceptionUnused } from './settings/exception-unused.ts';
import { baseUrlMismatched } from './documents/base-url-mismatched.ts';
import { artifactUnlisted } from './documents/artifact-unlisted.ts';
import { iconResponseInvalid } from './icons/icon-response-invalid.ts';

/** Every rule, in the order of the documentation. */
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
  urlOfOtherApp,
  urlMalformed,
  urlPlaceholder,
  urlOfPage,
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
  versionOfOtherApp,
  metadataOrphaned,
  baseUrlMismatched,
  versionWithdrawn,
  artifactChanged,
  artifactMoved,
  appWithdrawn,
  deploymentStale,
  workspaceBehind,
  appNotListed,
  versionNotListed,
  unreachable,
  tlsUntrusted,
  tlsExpiring,
  tlsBrowserUnsupported,
  addressesDiffer,
  redirectInsecure,
  redirectExcessive,
  urlMoved,
  headRefused,
  rangeRequestUnanswered,
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
  artifactSecret,
  artifactLeftover,
  artifactTrailingData,
  attestationMissing,
  attestationLost,
  attestationInvalid,
  attestationOtherVersion,
  attestationIdentity,
  aboutInvalid,
  replacementInvalid,
  aboutVersionUnknown,
  allVersionsDeprecated,
  iconNotImage,
  iconTypeWrong,
  iconEmbeddingRefused,
  iconOversized,
  iconSvgActive,
  serviceNotLookedYet,
  serviceFirstSeenDiffers,
  serviceVersionWithdrawn,
  serviceRefused,
  serviceDisagrees,
  servicePolicy,
  exceptionUnused,
  artifactUnlisted,
  iconResponseInvalid,
];
