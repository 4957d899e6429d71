import type { VipsExplanation } from '../../contract/ipam-api/vips-pages';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { recordOf } from '../vips/ask-vips';
import type { Explained } from './explain-name';

/**
 * Joins what the record of zones and the VIPs door know. What one of them has nothing to do with is told by the other alone.
 *
 * @param vips - answer of the VIPs door; undefined where there is none
 * @param ofZones - asks the record
 * @returns both
 */
export async function withVips(
  vips: Outcome<VipsExplanation | undefined>,
  ofZones: () => Promise<Outcome<Explained>>,
): Promise<Outcome<Explained>> {
  if (!vips.ok) return vips;
  const zones = await ofZones();
  return vips.value === undefined ? zones : joined(vips.value, recordOf(zones, vips.value));
}

function joined(vips: VipsExplanation, zones: Outcome<Explained | undefined>): Outcome<Explained> {
  const own = { sentences: vips.sentences, claims: [], ips: vips.addresses };
  if (!zones.ok) return vips.known && zones.refusal.code === 'claim/not-found' ? accept(own) : zones;
  if (zones.value === undefined) return own.sentences.length > 0 ? accept(own) : UNKNOWN;
  if (!vips.known) return accept(zones.value);
  const { sentences, claims } = zones.value;
  // that an address of a group lies in no zone is no news
  return accept({ ...own, sentences: [...own.sentences, ...(claims.length === 0 ? [] : sentences)], claims });
}

const UNKNOWN = refuse('claim/not-found', 'the VIPs door, the only one of this operator, neither serves nor knows it');
