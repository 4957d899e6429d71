import type { VipsHistory } from '../../contract/ipam-api/vips-pages';
import { holderText } from './tree-text';

/** Limits of what is told of the past of an address of an IPGroup. */
export const NO_HISTORY =
  'an IP keeps its present holders only (since when: spec.holders[].since); what was before is told by Events, which the API server forgets after an hour by default';

/** One line about the past of an address. */
export interface VipEntry {
  readonly from: string;
  readonly until: string;
  /** State of the holder, or `event` and the reason of the Event. */
  readonly state: string;
  readonly group: string;
  readonly object: string;
  /** Text of the Event; absent for a holder. */
  readonly message?: string;
}

/**
 * Lists the holders of an address and the Events that name it.
 *
 * @param history - answer of the VIPs door
 * @returns the holders, and then the Events, newest first
 */
export function vipEntries(history: VipsHistory | undefined): readonly VipEntry[] {
  const { address, events = [] } = history ?? {};
  const holders = (address?.holders ?? []).map((holder) => ({
    ...{ from: holder.since, until: address?.until ?? '', state: address?.state ?? '' },
    ...{ group: address?.group ?? '', object: holderText(holder) },
  }));
  const told = events.map(({ time, reason, object, message }) => ({
    from: time,
    until: '',
    state: `event ${reason}`,
    group: '',
    object: object.replace(/^Service /u, ''),
    message,
  }));
  return [...holders.toReversed(), ...told];
}
