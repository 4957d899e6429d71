import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import type { DoorFindings } from '../../contract/ipam-api/door-pages';
import type { NetworksExplanation, NetworksHistory } from '../../contract/ipam-api/networks-pages';
import type { VipsExplanation, VipsHistory, VipsTree } from '../../contract/ipam-api/vips-pages';
import { jsonOf } from '../../contract/loose-json';
import { accept, type Outcome } from '../../errors/outcome';
import { refusalOfAnswer, type ApiCaller } from '../calls/api-caller';
import type { ServiceName } from '../arguments/service-name';

/** Answer of a door; undefined where the operator has it not, or is elsewhere. */
type Answer<T> = Promise<Outcome<T | undefined>>;

// The command and the operator are of one image, so the answer is what the operator means.
async function ask<T>(api: ApiCaller, path: string): Answer<T> {
  if (!api.isLocal) return accept(undefined);
  const page = await api.page(path);
  if (!page.ok) return page;
  const { status, text } = page.value;
  if (status === 404) return accept(undefined);
  const body = jsonOf(text);
  return status === 200 ? accept(body as T) : { ok: false, refusal: refusalOfAnswer(status, body) };
}

/**
 * Asks for groups and addresses of the VIPs door.
 *
 * @param api - the operator
 * @returns all of them
 */
export const vipsTree = (api: ApiCaller): Answer<VipsTree> => ask(api, ADMIN_PATHS.vipsTree);

/**
 * Asks every door what it finds fault with.
 *
 * @param api - the operator
 * @returns the answers of the doors that it has
 */
export async function doorFindings(api: ApiCaller): Promise<Outcome<readonly DoorFindings[]>> {
  const found: DoorFindings[] = [];
  for (const path of [ADMIN_PATHS.vipsFindings, ADMIN_PATHS.networksFindings, ADMIN_PATHS.clusterApiFindings]) {
    const answer = await ask<DoorFindings>(api, path);
    if (!answer.ok) return answer;
    if (answer.value !== undefined) found.push(answer.value);
  }
  return accept(found);
}

/**
 * Asks what the VIPs door knows of an address.
 *
 * @param api - the operator
 * @param address - in canonical text
 * @returns the explanation
 */
export const vipsAddress = (api: ApiCaller, address: string): Answer<VipsExplanation> =>
  ask(api, `${ADMIN_PATHS.vipsAddresses}/${encodeURIComponent(address)}`);

/**
 * Asks for the past of an address of the VIPs door.
 *
 * @param api - the operator
 * @param address - in canonical text
 * @returns holders and Events
 */
export const vipsHistory = (api: ApiCaller, address: string): Answer<VipsHistory> =>
  ask(api, `${ADMIN_PATHS.vipsAddresses}/${encodeURIComponent(address)}/history`);

/**
 * Asks how the VIPs door judges a Service.
 *
 * @param api - the operator
 * @param service - its name
 * @returns the explanation
 */
export const vipsService = (api: ApiCaller, { namespace, name }: ServiceName): Answer<VipsExplanation> =>
  ask(api, `${ADMIN_PATHS.vipsServices}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);

/**
 * Asks what the Networks door knows of an address.
 *
 * @param api - the operator
 * @param address - in canonical text
 * @returns the explanation
 */
export const networksAddress = (api: ApiCaller, address: string): Answer<NetworksExplanation> =>
  ask(api, `${ADMIN_PATHS.networksAddresses}/${encodeURIComponent(address)}`);

/**
 * Asks for the past of an address of the Networks door.
 *
 * @param api - the operator
 * @param address - in canonical text
 * @returns entries and Events
 */
export const networksHistory = (api: ApiCaller, address: string): Answer<NetworksHistory> =>
  ask(api, `${ADMIN_PATHS.networksAddresses}/${encodeURIComponent(address)}/history`);

/**
 * Asks what the Networks door knows of the objects of one name.
 *
 * @param api - the operator
 * @param object - its name
 * @returns the explanation
 */
export const networksObject = (api: ApiCaller, { namespace, name }: ServiceName): Answer<NetworksExplanation> =>
  ask(api, `${ADMIN_PATHS.networksObjects}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);

/**
 * Lets the record of zones be absent where another door has something to say instead.
 *
 * @param record - answer of the record
 * @param isDoorTold - whether another door has answered
 * @returns undefined for an operator that keeps no record; its refusal where that leaves nothing
 */
export function recordOf<T>(record: Outcome<T>, isDoorTold: boolean): Outcome<T | undefined> {
  const isAbsent = !record.ok && record.refusal.code === 'store/no-zones' && isDoorTold;
  return isAbsent ? accept(undefined) : record;
}
