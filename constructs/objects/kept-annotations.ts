/** Annotation by which Helm leaves an object alone, and by which our policy lets nothing delete it. */
export const KEEP_MARK = { key: 'helm.sh/resource-policy', value: 'keep' } as const;

/** Annotations by which our policy, Helm and Argo CD leave an object alone when the rest goes. */
export const KEEP = {
  [KEEP_MARK.key]: KEEP_MARK.value,
  'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
} as const;

/**
 * Tells whether an object stays when the installation goes.
 *
 * @param annotations - of the object
 * @returns true where it carries {@link KEEP}
 */
export function isKept(annotations: Readonly<Record<string, string>> | undefined): boolean {
  return Object.entries(KEEP).every(([key, value]) => annotations?.[key] === value);
}
