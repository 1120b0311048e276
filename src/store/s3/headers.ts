import { cacheControlOf, mediaTypeOf } from '../../core/http/media.ts';
import { type Bytes, md5Of } from '../bytes.ts';

/** The headers that a file is stored with. Their digest makes the store reject data damaged in transit. */
export function uploadHeaders(path: string, bytes: Bytes): Record<string, string> {
  return {
    'content-type': mediaTypeOf(path),
    'cache-control': cacheControlOf(path),
    'content-md5': md5Of(bytes),
  };
}
