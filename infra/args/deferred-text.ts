import type * as pulumi from '@pulumi/pulumi';

/** Maps and lists of texts in any object, by their path from its inside. */
const TEXTS = [
  /(?:^|\.)metadata\.(?:labels|annotations)$/u,
  /(?:^|\.)(?:matchLabels|nodeSelector)$/u,
  /(?:^|\.)match(?:Expressions|Fields)\.\d+\.values$/u,
];
/** The same in objects of one kind, by their whole path. */
const TEXTS_OF_KIND: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ['data', 'binaryData'],
  Secret: ['data', 'stringData'],
  Service: ['spec.selector'],
  ReplicationController: ['spec.selector'],
  StorageClass: ['parameters'],
};
const VARIABLE = /(?:^|\.)env\.\d+\.value$/u;

/**
 * Turns a value that is known later into text, as cdk8s turns one that is known now.
 *
 * @param source - of anything
 * @returns text for numbers and booleans; everything else is left as it is
 */
export function asText<T>(source: pulumi.Output<T>): pulumi.Output<T | string> {
  return source.apply((value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value));
}

/**
 * Tells places where Kubernetes takes nothing but text, and a number only fails when it is sent there.
 *
 * @param kind - of the object
 * @param path - of the value in it
 * @returns true for labels, annotations, selectors, variables, and the data of ConfigMaps and Secrets
 */
export function wantsText(kind: string, path: readonly string[]): boolean {
  const around = path.slice(0, -1).join('.');
  const within = TEXTS.some((pattern) => pattern.test(around)) || TEXTS_OF_KIND[kind]?.includes(around) === true;
  return within || VARIABLE.test(path.join('.'));
}
