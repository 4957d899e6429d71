import { sourceOf } from '../../../contract/occupied-source';
import type { MetClaim, OccupiedAddress } from '../../../ports/occupied-addresses';
import { fromColumn, type AddressColumn } from './address-column';

/** Columns of a use, in the order of {@link occupiedOf}. */
export const OCCUPIED_COLUMNS = 'network, address, cluster, source, avoided';

/** Columns of a claim that a use meets, of `occupied o`, `address a` and `holder h`, in the order of {@link metClaims}. */
export const MET_COLUMNS = `a.network, a.address, a.zone, h.api_version, h.kind, h.namespace, h.namespace_uid, h.service_name,
  h.cluster_uid, h.service_uid, o.cluster, o.source, h.state`;

/**
 * Decodes a use.
 *
 * @param cells - in the order of {@link OCCUPIED_COLUMNS}
 * @returns it in the form of the port
 */
export function occupiedOf(cells: readonly unknown[]): OccupiedAddress {
  const [network, address, cluster, source, avoided] = cells as readonly [
    string,
    AddressColumn,
    string,
    string,
    number | boolean,
  ];
  const weight = avoided === 1 || avoided === true ? 'avoided' : 'occupied';
  return Object.freeze({ cluster, network, address: fromColumn(address), source, weight });
}

type MetCells = readonly [
  network: string,
  address: AddressColumn,
  pool: string,
  apiVersion: string,
  kind: string,
  namespace: string,
  namespaceUid: string,
  name: string,
  holderCluster: string,
  uid: string | null,
  cluster: string,
  source: string,
  state: string,
];

/**
 * Picks the claims that a use of something else meets.
 *
 * @param rows - in the order of {@link MET_COLUMNS}, one for each live holder of each address and each use of it
 * @param of - the cluster whose claims are asked for
 * @returns claims without those at whose address the use is that of a holder itself
 */
export function metClaims(rows: readonly (readonly unknown[])[], of: string): readonly MetClaim[] {
  const all = rows as unknown as readonly MetCells[];
  const own = new Set(all.filter(isOwn).map(useKey));
  return all
    .filter((row) => row[8] === of && row[12] !== 'contested' && !own.has(useKey(row)))
    .map(
      ([
        network,
        address,
        pool,
        apiVersion,
        kind,
        namespace,
        namespaceUid,
        name,
        holderCluster,
        uid,
        cluster,
        source,
      ]) => {
        const owner = { cluster: holderCluster, apiVersion, kind, namespace, namespaceUid, name };
        const holder = uid === null ? owner : { ...owner, uid };
        return { network, address: fromColumn(address), pool, holder, use: { cluster, source } };
      },
    );
}

function isOwn([, , , , kind, namespace, , name, holderCluster, , cluster, source]: MetCells): boolean {
  return cluster === holderCluster && source === sourceOf({ kind, namespace, name });
}

function useKey([network, address, , , , , , , , , cluster, source]: MetCells): string {
  return JSON.stringify([network, fromColumn(address).toString(), cluster, source]);
}
