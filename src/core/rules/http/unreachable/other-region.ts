import { message, type SafeText } from '../../../text/message.ts';
import type { Hop } from '../../../facts/facts.ts';
import { urlInOtherRegion } from '../../../http/store-error.ts';

/** What is wrong with the URL of a bucket in another region, and the URL to use. */
export function otherRegion(hop: Hop): { message: SafeText; advice: SafeText } {
  const { url = null, region = null } = urlInOtherRegion(hop) ?? {};
  const isSigned = /[?&](x-amz-signature|signature)=/i.test(hop.url);
  const place = region === null ? 'at another endpoint than the one of the URL' : `in the region ${region}`;
  if (url === null || isSigned)
    return {
      message: message`the bucket is ${place}.`,
      advice: message`List the URL of the bucket’s own region${isSigned ? ', signed for it' : ''}, as the console of the store shows it.`,
    };
  return { message: message`the bucket is ${place}.`, advice: message`List this URL instead: ${url}` };
}
