import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import type { DoorFindings } from '../../contract/ipam-api/door-pages';
import type { EgressExplanation, EgressHistory, EgressTree } from '../../contract/ipam-api/egress-pages';
import type { NetworksExplanation, NetworksHistory } from '../../contract/ipam-api/networks-pages';
import type { VipsExplanation, VipsHistory, VipsTree } from '../../contract/ipam-api/vips-pages';
import { jsonOf } from '../../contract/loose-json';
import { accept, type Outcome } from '../../errors/outcome';
import { refusalOfAnswer, type ApiCaller } from '../calls/api-caller';
import type { ServiceName } from '../arguments/service-name';

/** What the doors whose claims are objects of the cluster explain; each is absent where the operator has not that door. */
export interface DoorExplanations {
  readonly vips?: VipsExplanation;
  readonly networks?: NetworksExplanation;
  readonly egress?: EgressExplanation;
}

/** What these doors know of the past of an address. */
export interface DoorHistories {
  readonly vips?: VipsHistory;
  readonly networks?: NetworksHistory;
  readonly egress?: EgressHistory;
}

/** What these doors have, as trees. */
export interface DoorTrees {
  readonly vips?: VipsTree;
  readonly egress?: EgressTree;
}

// The command and the operator are of one image, so the answer is what the operator means.
async function ask<T>(api: ApiCaller, path: string): Promise<Outcome<T | undefined>> {
  if (!api.isLocal) return accept(undefined);
  const page = await api.page(path);
  if (!page.ok) return page;
  const { status, text } = page.value;
  if (status === 404) return accept(undefined);
  const body = jsonOf(text);
  return status === 200 ? accept(body as T) : { ok: false, refusal: refusalOfAnswer(status, body) };
}

// One door after the other; the first that fails ends it.
async function askAll<T extends object>(
  api: ApiCaller,
  paths: Readonly<Record<keyof T & string, string>>,
): Promise<Outcome<T>> {
  const answers: Record<string, unknown> = {};
  for (const [door, path] of Object.entries<string>(paths)) {
    const answer = await ask<unknown>(api, path);
    if (!answer.ok) return answer;
    if (answer.value !== undefined) answers[door] = answer.value;
  }
  return accept(answers as T);
}

/**
 * Asks for everything that is drawn as a tree.
 *
 * @param api - the operator
 * @returns the answers of the doors that it has
 */
export const doorTrees = (api: ApiCaller): Promise<Outcome<DoorTrees>> =>
  askAll<DoorTrees>(api, { vips: ADMIN_PATHS.vipsTree, egress: ADMIN_PATHS.egressTree });

/**
 * Asks every door what it finds fault with.
 *
 * @param api - the operator
 * @returns the answers of the doors that it has
 */
export async function doorFindings(api: ApiCaller): Promise<Outcome<readonly DoorFindings[]>> {
  const answers = await askAll<Readonly<Record<'vips' | 'networks' | 'egress' | 'clusterApi', DoorFindings>>>(api, {
    vips: ADMIN_PATHS.vipsFindings,
    networks: ADMIN_PATHS.networksFindings,
    egress: ADMIN_PATHS.egressFindings,
    clusterApi: ADMIN_PATHS.clusterApiFindings,
  });
  return answers.ok ? accept(Object.values(answers.value)) : answers;
}

const addressPaths = (address: string, end = ''): Readonly<Record<keyof DoorExplanations, string>> => {
  const path = `/${encodeURIComponent(address)}${end}`;
  return {
    vips: `${ADMIN_PATHS.vipsAddresses}${path}`,
    networks: `${ADMIN_PATHS.networksAddresses}${path}`,
    egress: `${ADMIN_PATHS.egressAddresses}${path}`,
  };
};

/**
 * Asks every door what it knows of an address.
 *
 * @param api - the operator
 * @param address - in canonical text
 * @returns the answers of the doors that it has
 */
export const explanationsOfAddress = (api: ApiCaller, address: string): Promise<Outcome<DoorExplanations>> =>
  askAll<DoorExplanations>(api, addressPaths(address));

/**
 * Asks every door for the past of an address.
 *
 * @param api - the operator
 * @param address - in canonical text
 * @returns the answers of the doors that it has
 */
export const historiesOf = (api: ApiCaller, address: string): Promise<Outcome<DoorHistories>> =>
  askAll<DoorHistories>(api, addressPaths(address, '/history'));

/**
 * Asks every door what it knows of the objects of one name.
 *
 * @param api - the operator
 * @param named - namespace and name; for a kind of the whole cluster its kind in small letters stands in place of the namespace
 * @returns the answers of the doors that it has
 */
export function explanationsOfName(
  api: ApiCaller,
  { namespace, name }: ServiceName,
): Promise<Outcome<DoorExplanations>> {
  const path = `/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  return askAll<DoorExplanations>(api, {
    vips: `${ADMIN_PATHS.vipsServices}${path}`,
    networks: `${ADMIN_PATHS.networksObjects}${path}`,
    egress: `${ADMIN_PATHS.egressObjects}${path}`,
  });
}

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
