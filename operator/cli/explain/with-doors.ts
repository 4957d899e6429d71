import { accept, refuse, type Outcome } from '../../errors/outcome';
import { recordOf, type DoorExplanations } from '../doors/ask-doors';
import type { Explained } from './explain-name';

/** Everything that these doors know. */
type Known = Omit<Explained, 'claims'> & { readonly known: boolean };

/**
 * Joins what the record of zones and the other doors know. What one of them has nothing to do with is told by the others alone.
 *
 * @param doors - answers of the doors
 * @param ofZones - asks the record
 * @returns all of it
 */
export async function withDoors(
  doors: Outcome<DoorExplanations>,
  ofZones: () => Promise<Outcome<Explained>>,
): Promise<Outcome<Explained>> {
  if (!doors.ok) return doors;
  const zones = await ofZones();
  const known = together(doors.value);
  return known === undefined ? zones : joined(known, recordOf(zones, true));
}

// That a door does not know a name is news only where no door knows it.
function together({ vips, networks, egress }: DoorExplanations): Known | undefined {
  const answers = [vips, networks, egress].filter((each) => each !== undefined);
  if (answers.length === 0) return undefined;
  const some = answers.filter(({ known }) => known);
  return {
    known: some.length > 0,
    sentences: (some.length > 0 ? some : answers).flatMap(({ sentences }) => sentences),
    ...(vips === undefined ? {} : { ips: vips.addresses }),
    ...(networks === undefined ? {} : { entries: networks.entries }),
    ...(egress === undefined ? {} : { egress: egress.addresses }),
  };
}

function joined({ known, ...told }: Known, zones: Outcome<Explained | undefined>): Outcome<Explained> {
  const own = { ...told, claims: [] };
  if (!zones.ok) return known && zones.refusal.code === 'claim/not-found' ? accept(own) : zones;
  if (zones.value === undefined) return own.sentences.length > 0 ? accept(own) : UNKNOWN;
  if (!known) return accept(zones.value);
  const { sentences, ...ofZones } = zones.value;
  // that an address of another door lies in no zone is no news
  const isNews = ofZones.claims.length > 0 || ofZones.zone !== undefined;
  return accept({ ...own, ...ofZones, sentences: [...own.sentences, ...(isNews ? sentences : [])] });
}

const UNKNOWN = refuse('claim/not-found', 'no door of this operator serves or knows it');
