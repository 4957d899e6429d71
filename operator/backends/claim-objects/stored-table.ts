import {
  ADDRESS_TABLE,
  type AddressTableSpec,
  type TableDecision,
  type TableWrite,
} from '../../contract/kinds/address-table';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import { contentOf } from './carry-out';
import { versionNumber, versionOf } from '../../contract/resource-version';
import type { ClaimWrite } from './claim-write';

/** An AddressTable as it is stored, or as it would be where there is none. */
export interface StoredTable {
  readonly network: string;
  /** The stored object; undefined where there is none. */
  readonly object: JsonMap | undefined;
  readonly decisions: readonly TableDecision[];
  /** Newest version of the claims that decisions wrote; 0 where none did. */
  readonly claimsVersion: number;
}

/**
 * Reads a table.
 *
 * @param network - of its name
 * @param object - as it is stored; undefined where there is none
 * @returns its decisions and how far its claims are
 */
export function readTable(network: string, object: JsonMap | undefined): StoredTable {
  const spec = mapOf(object?.['spec']) as Partial<AddressTableSpec>;
  const claimsVersion = spec.claimsVersion === undefined ? 0 : versionNumber(spec.claimsVersion);
  // a table that another server was restored with counts by the versions of the former one
  const isRestored = object !== undefined && versionOf(object) < claimsVersion;
  return { network, object, decisions: spec.decisions ?? [], claimsVersion: isRestored ? 0 : claimsVersion };
}

/**
 * Writes a table.
 *
 * @param table - as it is stored
 * @param change - decisions and version that it is to have
 * @returns the object, with UID and resource version where there is one already
 */
export function tableObject(
  { network, object }: StoredTable,
  { decisions, claimsVersion }: Pick<StoredTable, 'decisions' | 'claimsVersion'>,
): JsonMap {
  const { uid, resourceVersion, labels, annotations } = metadataOf(object);
  return {
    apiVersion: `${ADDRESS_TABLE.group}/${ADDRESS_TABLE.version}`,
    kind: ADDRESS_TABLE.kind,
    metadata: { name: network, uid, resourceVersion, labels, annotations },
    spec: {
      ...(claimsVersion === 0 ? {} : { claimsVersion: String(claimsVersion) }),
      decisions,
    },
  };
}

/**
 * Writes a write as a table has it.
 *
 * @param write - of a decision
 * @returns its entry
 */
export function tableWrite({ name, after, before }: ClaimWrite): TableWrite {
  return {
    name,
    ...(after === undefined ? {} : { after: JSON.stringify(after) }),
    ...(before === undefined
      ? {}
      : {
          before: JSON.stringify(contentOf(before.object)),
          uid: before.uid,
          resourceVersion: before.resourceVersion,
        }),
  };
}

/**
 * Reads the writes of a decision.
 *
 * @param decision - of a table
 * @returns its writes
 */
export function writesOf({ writes }: TableDecision): readonly ClaimWrite[] {
  return listOf(writes).flatMap((each) => (isMap(each) ? [readWrite(each)] : []));
}

function readWrite({ name, after, before, uid, resourceVersion }: JsonMap): ClaimWrite {
  return {
    name: textOf(name),
    ...(after === undefined ? {} : { after: parsed(after) }),
    ...(before === undefined
      ? {}
      : { before: { uid: textOf(uid), resourceVersion: textOf(resourceVersion), object: parsed(before) } }),
  };
}

function parsed(text: unknown): JsonMap {
  try {
    return mapOf(JSON.parse(textOf(text)));
  } catch {
    throw new IpamError('store/unavailable', 'an AddressTable holds a decision that is no JSON; it was edited by hand');
  }
}
