import type { ApiClient } from '../../cluster/api/api-client';
import { apiPath } from '../../cluster/api/api-path';
import type { KindDeclaration } from '../../contract/crd-manifest';
import { ADDRESS_CLAIM } from '../../contract/kinds/address-claim';
import { IP_PREFIX } from '../../contract/kinds/ip-prefix';
import { NETWORK_INSTANCE } from '../../contract/kinds/network-instance';
import { recordNetwork } from '../../contract/kinds/record-network';
import { mapOf, textOf } from '../../contract/loose-json';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { listed, refuseUnlisted } from '../calls/listed';
import type { InstanceObjects } from './instance-tree';

/** Name of a NetworkInstance. */
export interface InstanceName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Reads a NetworkInstance with everything that it holds.
 *
 * @param client - of its cluster
 * @param of - where it is
 * @returns what it is drawn from; `instance/not-found`, or what the API server refuses
 */
export async function readInstanceObjects(client: ApiClient, of: InstanceName): Promise<Outcome<InstanceObjects>> {
  const { namespace, name } = of;
  const read = await client.request({ method: 'GET', path: pathOf(NETWORK_INSTANCE, { namespace, name }) });
  if (!read.ok && read.status === 404) {
    return refuse('instance/not-found', `there is no NetworkInstance ${namespace}/${name}`, { value: name });
  }
  if (!read.ok) return refuseUnlisted(`NetworkInstance ${namespace}/${name}`, read.message);
  const [prefixes, claims] = [
    await listed(client, pathOf(IP_PREFIX, { namespace })),
    await listed(client, pathOf(ADDRESS_CLAIM, {})),
  ];
  if (!prefixes.ok) return prefixes;
  if (!claims.ok) return claims;
  const network = textOf(mapOf(read.body['status'])['network']) || recordNetwork(of);
  const own = claims.value.filter((claim) => mapOf(claim['spec'])['network'] === network);
  return accept({ instance: read.body, prefixes: prefixes.value, claims: own });
}

/**
 * Names a kind in the API server.
 *
 * @param kind - one of ours
 * @param of - an object, or those of a namespace; everything without both
 * @returns path from the root
 */
function pathOf(
  { group, version, plural }: Pick<KindDeclaration<never>, 'group' | 'version' | 'plural'>,
  of: Partial<InstanceName>,
): string {
  return apiPath({ apiVersion: `${group}/${version}`, resource: plural, ...of });
}
