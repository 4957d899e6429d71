import { isPrefixKind } from '../../contract/kinds/network-parts';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { NEPHIO_GROUP, NETWORK_ANNOTATIONS } from '../../contract/nephio';
import type { EntryOwner, PrefixKind } from '../../contract/networks/entry';
import { recordNetwork } from '../../contract/kinds/record-network';
import type { ErrorCode } from '../../errors/catalogue';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { Instance } from './types';

/** Group and version of the three kinds. */
export const API_VERSION = `${NEPHIO_GROUP}/v1alpha1`;

/**
 * Names the holder that an object of the cluster is; cluster and namespace UID are for the caller to add.
 *
 * @param object - of one of the kinds of the Networks door
 * @param kind - its kind, which objects in a list may leave out
 * @returns the holder
 */
export function ownerOf(object: JsonMap, kind: string): EntryOwner {
  const metadata = metadataOf(object);
  const uid = textOf(metadata['uid']);
  return {
    cluster: '',
    namespaceUid: '',
    apiVersion: API_VERSION,
    kind,
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
    ...(uid === '' ? {} : { uid }),
  };
}

/**
 * Names the holder that a NetworkInstance is.
 *
 * @param instance - as it was read
 * @param beside - owner of the same namespace
 * @returns the holder
 */
export function instanceOwner({ namespace, name, uid }: Instance, beside: EntryOwner): EntryOwner {
  const { cluster, namespaceUid } = beside;
  const owner = { cluster, namespaceUid, apiVersion: API_VERSION, kind: 'NetworkInstance', namespace, name };
  return uid === '' ? owner : { ...owner, uid };
}

/**
 * Reads a NetworkInstance.
 *
 * @param object - as the API server has it
 * @returns the instance; an unknown word of an annotation counts as its default
 */
export function readInstance(object: JsonMap): Instance {
  const metadata = metadataOf(object);
  const [namespace, name] = [textOf(metadata['namespace']), textOf(metadata['name'])];
  const parents = textOf(mapOf(metadata['annotations'])[NETWORK_ANNOTATIONS.parents]);
  return {
    namespace,
    name,
    uid: textOf(metadata['uid']),
    network: recordNetwork({ namespace, name }),
    parents: parents === 'required' || parents === 'free' ? parents : 'declared',
    isDying: textOf(metadata['deletionTimestamp']) !== '',
  };
}

/**
 * Reads the kind of a prefix.
 *
 * @param value - `spec.kind`
 * @param code - code of the refusal
 * @returns the kind, `network` where there is none
 */
export function readKind(value: unknown, code: ErrorCode): Outcome<PrefixKind> {
  if (value === undefined || value === null) return accept('network');
  if (isPrefixKind(value)) return accept(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const message = `spec.kind: "${text}" is no kind of a prefix; network, loopback, pool and aggregate are allowed`;
  return refuse(code, message, { field: 'spec.kind', value: text });
}
