import { parseAddress, type Address } from '../../../addressing/address';
import { EGRESS_MARKS } from '../../../contract/egress';
import { FIELD_MANAGER, MANAGED_BY } from '../../../contract/group';
import { EGRESS_IPAM } from '../../../contract/kinds/egress-ipam';
import { MAX_LABEL_LENGTH } from '../../../contract/label-selector';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { shortenedName } from '../../../contract/shortened-name';
import type { NamespaceEgress } from '../../../ports/egress-dataplane';
import type { ObjectKey } from '../../../ports/object-feed';
import type { VersionGuard } from '../../../ports/object-writer';

const { group, version, kind } = EGRESS_IPAM;
const OWNER = { apiVersion: `${group}/${version}`, kind } as const;

/** What the marks of an object of a dataplane say. */
export interface ReadMarks {
  readonly egressIpam: string;
  readonly namespace: string;
  /** True: its EgressIPAM went and left it. */
  readonly isOrphan: boolean;
}

/**
 * Reads the marks of the Egress door on an object.
 *
 * @param object - of a dataplane
 * @returns what they say; undefined for an object that the door neither made nor took over
 */
export function marksOf(object: JsonMap): ReadMarks | undefined {
  const { labels, annotations } = metadataOf(object);
  const [egressIpam, namespace] = [EGRESS_MARKS.egressIpam, EGRESS_MARKS.namespace].map((key) =>
    textOf(mapOf(annotations)[key]),
  );
  if (egressIpam === undefined || egressIpam === '' || namespace === undefined || namespace === '') return undefined;
  return { egressIpam, namespace, isOrphan: mapOf(labels)[EGRESS_MARKS.orphan] === 'true' };
}

/** What an object is for: an EgressIPAM, and one of its namespaces where the object is about one alone. */
type MarkedFor = Pick<NamespaceEgress, 'egressIpam'> & Partial<Pick<NamespaceEgress, 'namespace'>>;

/**
 * Marks an object that another program made as one of which the door writes a part.
 *
 * @param metadata - as it is stored
 * @param of - namespace and EgressIPAM
 * @returns the metadata with marks
 */
export function markedMetadata(metadata: JsonMap, { namespace, egressIpam: { name } }: MarkedFor): JsonMap {
  const { [EGRESS_MARKS.orphan]: _orphan, ...labels } = mapOf(metadata['labels']);
  return {
    ...metadata,
    labels: { ...labels, [EGRESS_MARKS.egressIpam]: shortenedName(name, { most: MAX_LABEL_LENGTH }) },
    annotations: {
      ...mapOf(metadata['annotations']),
      [EGRESS_MARKS.egressIpam]: name,
      ...(namespace === undefined ? {} : { [EGRESS_MARKS.namespace]: namespace }),
    },
  };
}

/**
 * Marks an object as the door's own, which goes with its EgressIPAM.
 *
 * @param metadata - as it is stored; the name alone for a new object
 * @param of - EgressIPAM, and the namespace that it is about
 * @returns the metadata with marks and owner; other owners stay
 */
export function ownedMetadata(metadata: JsonMap, of: MarkedFor): JsonMap {
  const marked = markedMetadata(metadata, of);
  return {
    ...marked,
    labels: { ...mapOf(marked['labels']), [MANAGED_BY.label]: FIELD_MANAGER },
    ownerReferences: [...otherOwners(metadata), { ...OWNER, name: of.egressIpam.name, uid: of.egressIpam.uid }],
  };
}

/**
 * Marks an object as one that its EgressIPAM left; the garbage collector must not delete it then.
 *
 * @param metadata - as it is stored
 * @returns the metadata without the EgressIPAM as owner
 */
export function orphanedMetadata(metadata: JsonMap): JsonMap {
  const owners = otherOwners(metadata);
  const { ownerReferences: _owners, ...rest } = metadata;
  return {
    ...rest,
    labels: { ...mapOf(metadata['labels']), [EGRESS_MARKS.orphan]: 'true' },
    ...(owners.length === 0 ? {} : { ownerReferences: owners }),
  };
}

/**
 * Takes the marks off an object that stays.
 *
 * @param metadata - as it is stored
 * @returns the metadata as it was before it was marked
 */
export function unmarkedMetadata(metadata: JsonMap): JsonMap {
  const { labels, annotations } = metadata;
  const without = (map: unknown, keys: readonly string[]): JsonMap =>
    Object.fromEntries(Object.entries(mapOf(map)).filter(([key]) => !keys.includes(key)));
  return {
    ...metadata,
    labels: without(labels, [EGRESS_MARKS.egressIpam, EGRESS_MARKS.orphan]),
    annotations: without(annotations, [EGRESS_MARKS.egressIpam, EGRESS_MARKS.namespace]),
  };
}

const otherOwners = ({ ownerReferences }: JsonMap): readonly JsonMap[] =>
  listOf(ownerReferences)
    .filter(isMap)
    .filter((each) => each['apiVersion'] !== OWNER.apiVersion || each['kind'] !== OWNER.kind);

/**
 * Names an object of the whole cluster, and its version, for a write.
 *
 * @param object - as it was read
 * @returns key and guard
 */
export function versionOf(object: JsonMap): { readonly key: ObjectKey; readonly guard: VersionGuard } {
  const { name, uid, resourceVersion } = metadataOf(object);
  return {
    key: { namespace: '', name: textOf(name), uid: textOf(uid) },
    guard: { resourceVersion: textOf(resourceVersion) },
  };
}

/**
 * Reads a list of addresses.
 *
 * @param list - of an object of a dataplane
 * @returns those that can be read
 */
export function addressesIn(list: unknown): readonly Address[] {
  return listOf(list).flatMap((text) => {
    const parsed = parseAddress(textOf(text));
    return parsed.ok ? [parsed.value] : [];
  });
}
