import { MOST_CLAIM_LABELS } from '../../contract/kinds/address-claim';
import { mapOf, type JsonMap } from '../../contract/loose-json';
import { NEPHIO, SYSTEM_KEYS } from '../../contract/nephio';
import { accept, refuse, type Outcome } from '../../errors/outcome';

const LONGEST_VALUE = 63;

/** Labels of an author. */
interface ReadLabels {
  readonly labels: Readonly<Record<string, string>>;
  /** The label that marks the gateway of a subnet says true. */
  readonly isGateway: boolean;
}

function reserved(key: string, value: string, right: string | undefined): Outcome<never> {
  const field = `metadata.labels[${key}]`;
  const allowed = right === undefined ? 'leave it out' : `it will be "${right}"`;
  return refuse('label/reserved', `${field}: "${value}" cannot be set, the system itself sets this label; ${allowed}`, {
    field,
    value,
    ...(right === undefined ? {} : { suggestion: right }),
  });
}

/**
 * Reads the labels that an object gives to its entries. A label that the system sets may be there with the value that it will have.
 *
 * @param metadata - of the object
 * @param known - labels that the system will set, as far as they are known
 * @returns labels without those of the system and without the mark of the gateway; or `label/reserved`, `label/too-many`
 */
export function readLabels(
  metadata: JsonMap,
  known: Readonly<Record<string, string | undefined>>,
): Outcome<ReadLabels> {
  const all = Object.entries(mapOf(metadata['labels'])).filter(
    (each): each is [string, string] => typeof each[1] === 'string',
  );
  const wrong = all.find(([key, value]) => SYSTEM_KEYS.includes(key) && known[key] !== value);
  if (wrong !== undefined) return reserved(wrong[0], wrong[1], known[wrong[0]]);
  const mayMarkPools = known[NEPHIO.prefixKind] === 'aggregate';
  const own = all.filter(
    ([key]) => key !== NEPHIO.gateway && (!SYSTEM_KEYS.includes(key) || (mayMarkPools && key === NEPHIO.pool)),
  );
  const long = own.find(([, value]) => value.length > LONGEST_VALUE);
  if (own.length > MOST_CLAIM_LABELS || long !== undefined) {
    const what = long === undefined ? `${String(own.length)} labels` : `the value of ${long[0]}`;
    const message = `metadata.labels: ${what} cannot be stored; at most ${String(MOST_CLAIM_LABELS)} labels with values of at most ${String(LONGEST_VALUE)} characters are allowed`;
    return refuse('label/too-many', message, { field: 'metadata.labels' });
  }
  return accept({
    labels: Object.fromEntries(own),
    isGateway: all.some(([key, value]) => key === NEPHIO.gateway && value === 'true'),
  });
}
