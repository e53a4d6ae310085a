// Pictures of charts: pasted, dropped or chosen, and small enough to be sent.

/** 8 MiB of body in all, and Base64 makes four bytes of three. */
const MOST_BYTES = 6 * 1024 * 1024 - 64 * 1024;
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** The picture among what was pasted or dropped; another file where there is none, so that it can be told. */
export function fileIn(data: DataTransfer | null): File | undefined {
  const files = [...(data?.files ?? [])];
  return files.find(({ type }) => type.startsWith('image/')) ?? files[0];
}

export type Picture = { readonly url: string } | { readonly fault: string };

export async function readPicture(file: File): Promise<Picture> {
  if (!TYPES.includes(file.type)) return { fault: 'That is no PNG, JPEG, WebP or GIF.' };
  if (file.size > MOST_BYTES) return { fault: 'The picture is larger than 6 MB: make it smaller.' };
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  return { url };
}
