import type { Prefix } from '../../addressing/prefix';
import type { EntryDraft, NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable } from '../../contract/networks/table';
import type { Labels } from './labels';
import { isKnown, isWritten, redraft } from './owners';
import { isPrefixForm } from './reserved';

type Host = Pick<NetworkEntry, 'block' | 'facts' | 'labels'>;

// Form of the whole subnet first, then the gateway, then the lowest address.
function rankOf(subnet: Prefix, { block, facts }: Host): number {
  if (isPrefixForm(subnet, block.first)) return 0;
  return facts?.isGateway === true ? 1 : 2;
}

/**
 * Finds the labels of a subnet: those of the IPPrefix that describes it best, whatever the order in which they were made.
 *
 * @param subnet - its block
 * @param hosts - its recorded hosts
 * @returns labels of the author; undefined where there is no host
 */
export function subnetLabels(subnet: Prefix, hosts: readonly Host[]): Labels | undefined {
  const [best] = [...hosts].sort(
    (a, b) => rankOf(subnet, a) - rankOf(subnet, b) || a.block.first.compareTo(b.block.first),
  );
  return best?.labels;
}

/**
 * Writes the labels of a subnet anew where one of its hosts goes.
 *
 * @param table - of the network
 * @param subnet - entry of the subnet
 * @param gone - blocks of the hosts that go
 * @returns the draft; empty where nothing of it changes, as with the last host
 */
export function relabelled(table: NetworkTable, subnet: NetworkEntry, gone: readonly Prefix[]): readonly EntryDraft[] {
  const hosts = table.hosts(subnet.block).filter(({ block }) => !gone.some((each) => each.equals(block)));
  const labels = subnetLabels(subnet.block, hosts);
  if (labels === undefined || !isKnown(subnet)) return [];
  const draft = redraft(subnet, { labels });
  return isWritten(subnet, draft) ? [] : [draft];
}
