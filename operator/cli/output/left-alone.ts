import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { isMap, listOf, textOf, type JsonMap } from '../../contract/loose-json';
import type { ApiCaller } from '../calls/api-caller';
import type { Finding } from './findings';

const CHECK = 'left alone';

/**
 * Asks the admin socket which Services are left alone although something asks for an address.
 *
 * @param api - the server; one elsewhere does not tell
 * @returns one finding for each Service
 */
export async function leftAloneFindings(api: ApiCaller): Promise<readonly Finding[]> {
  if (!api.isLocal) return [];
  const page = await api.page(ADMIN_PATHS.leftAlone);
  if (!page.ok || page.value.status !== 200) return [];
  const body: unknown = JSON.parse(page.value.text);
  return isMap(body) ? listOf(body['services']).filter(isMap).map(findingOf) : [];
}

function findingOf(service: JsonMap): Finding {
  const name = `${textOf(service['namespace'])}/${textOf(service['name'])}`;
  const addresses = listOf(service['addresses']).map(textOf).join(', ');
  const shows = addresses === '' ? 'shows no address' : `shows ${addresses}`;
  const isOut = service['because'] === 'namespace';
  if (isOut && service['asks'] === true)
    return {
      verdict: 'watch',
      check: CHECK,
      finding: `${name} asks for an address, but its namespace is left out; it ${shows}`,
    };
  const why = isOut
    ? 'its namespace is left out; opened, it stays as it is while it shows an address'
    : 'another load balancer serves it; it becomes ours once its spec or a key of ours changes';
  return { verdict: 'ok', check: CHECK, finding: `${name} ${shows}: ${why}` };
}
