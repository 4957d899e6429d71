import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import type { VipsExplanation, VipsFindings, VipsHistory, VipsTree } from '../../contract/ipam-api/vips-pages';
import { jsonOf } from '../../contract/loose-json';
import { accept, type Outcome } from '../../errors/outcome';
import { refusalOfAnswer, type ApiCaller } from '../calls/api-caller';
import type { ServiceName } from '../arguments/service-name';

/** Answer of the VIPs door; undefined where the operator has none, or is elsewhere. */
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
 * Asks what the VIPs door finds fault with.
 *
 * @param api - the operator
 * @returns its findings
 */
export const vipsFindings = (api: ApiCaller): Answer<VipsFindings> => ask(api, ADMIN_PATHS.vipsFindings);

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
 * Lets the record of zones be absent where the VIPs door has something to say instead.
 *
 * @param record - answer of the record
 * @param vips - answer of the VIPs door
 * @returns undefined for an operator that keeps no record; its refusal where that leaves nothing
 */
export function recordOf<T>(record: Outcome<T>, vips: object | undefined): Outcome<T | undefined> {
  const isAbsent = !record.ok && record.refusal.code === 'store/no-zones' && vips !== undefined;
  return isAbsent ? accept(undefined) : record;
}
