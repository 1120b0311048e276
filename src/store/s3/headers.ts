import { cacheControlOf, mediaTypeOf } from '../../core/http/media.ts';
import { type Bytes, md5Of } from '../bytes.ts';

/** The headers that a file is stored with. By its digest the store refuses what was damaged on its way. */
export function headersOf(path: string, bytes: Bytes): Record<string, string> {
  return {
    'content-type': mediaTypeOf(path),
    'cache-control': cacheControlOf(path),
    'content-md5': md5Of(bytes),
  };
}
