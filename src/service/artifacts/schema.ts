import * as api from '../http/openapi.ts';

const KEY = api.parameter('key', 'path', 'App key.', { type: 'string' });
const VERSION = api.parameter('version', 'path', 'A version of the app.', { type: 'string' });
const RANGE = api.parameter('Range', 'header', 'One range of bytes; the response to several ranges has all bytes.', {
  type: 'string',
});
const IF_RANGE = api.parameter('If-Range', 'header', 'ETag of the artifact that the client has a part of.', {
  type: 'string',
});
const IF_MATCH = api.parameter('If-Match', 'header', 'ETag that the artifact must have.', { type: 'string' });
const SENT = ['ETag', 'Accept-Ranges', 'Content-Length', 'Content-Disposition', 'Repr-Digest'];

function bytes(description: string, headers: string[]): api.OpenApiObject {
  return { description, content: { 'application/gzip': {} }, headers: api.headersOf([...SENT, ...headers]) };
}

/** The verified bytes of versions. */
export const artifactsPaths: Record<string, api.OpenApiObject> = {
  '/api/registries/{id}/apps/{key}/versions/{version}/artifact': {
    parameters: [api.ID, KEY, VERSION],
    get: api.forOrganization(
      'getArtifact',
      'The verified bytes of a version',
      {
        200: bytes('All bytes.', ['Content-Digest']),
        206: bytes('The requested range.', ['Content-Range']),
        ...api.NOT_MODIFIED,
        ...api.NOT_FOUND,
        409: api.refusal(
          'The artifact is not verified yet, or the versions of the app have not been read yet (type …:artifact-pending, with Retry-After). Or the version is held back, since the organization requires attestations or has a policy (type …:artifact-held).',
        ),
        410: api.refusal(
          'The version was refused or withdrawn; “findings” say why. The artifact of a hidden app is sent.',
        ),
        412: api.refusal('The artifact does not have the ETag of If-Match (type …:precondition-failed).'),
        416: api.refusal('The range begins after the end.', ['Content-Range']),
        501: api.refusal(
          'The service keeps no artifacts, or this one is larger than its limit (type …:artifacts-not-kept). Fetch it from “artifactUrl”.',
        ),
        503: api.refusal('The service is fetching the artifact, or cannot reach the database (type …:unavailable).', [
          'Retry-After',
        ]),
      },
      { parameters: [RANGE, IF_RANGE, IF_MATCH, api.IF_NONE_MATCH] },
    ),
  },
};
