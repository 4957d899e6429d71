import type { DoorEvent } from '../../contract/ipam-api/door-pages';
import type { EgressHistory } from '../../contract/ipam-api/egress-pages';
import type { NetworksHistory } from '../../contract/ipam-api/networks-pages';
import type { VipsHistory } from '../../contract/ipam-api/vips-pages';
import { holderText } from '../vips/tree-text';
import type { DoorHistories } from './ask-doors';

/** Limits of what is told of the past of an address whose claim is an object of the cluster. */
export const NO_HISTORY =
  'an IP or an AddressClaim keeps its present holders only; what was before is told by Events, which the API server forgets after an hour by default';

/** One line about the past of an address. */
export interface HistoryLine {
  readonly from: string;
  readonly until: string;
  /** State of the holder, or `event` and the reason of the Event. */
  readonly state: string;
  /** IPGroup, EgressIPAM, or namespace and name of the NetworkInstance; empty for an Event. */
  readonly pool: string;
  readonly object: string;
  /** Text of the Event; absent for a holder. */
  readonly message?: string;
}

/**
 * Lists the holders of an address and the Events that name it, as the doors know them whose claims are objects of the cluster.
 *
 * @param histories - answers of the doors
 * @returns of each door the holders, and then the Events, newest first
 */
export const historyLines = ({ vips, networks, egress }: DoorHistories): readonly HistoryLine[] => [
  ...(vips === undefined ? [] : vipLines(vips)),
  ...(networks === undefined ? [] : networkLines(networks)),
  ...(egress === undefined ? [] : egressLines(egress)),
];

function vipLines({ address, events }: VipsHistory): readonly HistoryLine[] {
  const holders = (address?.holders ?? []).map((holder) => ({
    from: holder.since,
    until: address?.until ?? '',
    state: address?.state ?? '',
    pool: address?.group ?? '',
    object: holderText(holder),
  }));
  return [...holders.toReversed(), ...events.map(eventLine)];
}

function networkLines({ entries, events }: NetworksHistory): readonly HistoryLine[] {
  const holders = entries.flatMap(({ since, instance, network, holder, user }) => {
    const at = { from: since, until: '', pool: instance === '' ? network : instance };
    const held = { ...at, state: 'held', object: holderText(holder) };
    return user === undefined ? [held] : [held, { ...at, state: 'used', object: holderText(user) }];
  });
  return [...holders, ...events.map(eventLine)];
}

function egressLines({ addresses, events }: EgressHistory): readonly HistoryLine[] {
  const holders = addresses.map(({ since, until = '', state, egressIpam, namespace }) => ({
    from: since,
    until,
    state,
    pool: egressIpam,
    object: holderText({ kind: 'Namespace', namespace: '', name: namespace }),
  }));
  return [...holders, ...events.map(eventLine)];
}

function eventLine({ time, reason, object, message }: DoorEvent): HistoryLine {
  return {
    from: time,
    until: '',
    pool: '',
    message,
    state: `event ${reason}`,
    object: object.replace(/^Service /u, ''),
  };
}
