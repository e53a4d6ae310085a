// The lines of a mail that its sender wrote himself: quoted replies, forwarded mail and the signature are cut off.

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const SPACES = /[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000 ]+/g;
/** Nobody sees these, so nobody can have meant something by them: soft hyphen, zero-width signs, byte order mark. */
const INVISIBLE = /\u00ad|\u200b|\u200c|\u200d|\u2060|\ufeff/g;

const ORIGINAL_MESSAGE =
  /^[-_*\s]{2,}\s*(?:original message|forwarded message|original appointment|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|message transféré|mensaje original|mensaje reenviado|messaggio originale|mensagem original|oorspronkelijk bericht|исходное сообщение|пересылаемое сообщение)\b/iu;
const FORWARD_BEGINS =
  /^(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message réexpédié)\s*:/iu;
/** "On Monday somebody wrote:", in the languages of the usual mail programs. */
const ATTRIBUTION =
  /(?:\b(?:wrote|schrieb|scritto|schreef|escreveu|napisał|skrev)\b|écrit|escribió|написал|пишет|書きました|写道).{0,200}[:：]$/iu;
const HEADER_FROM = /^\*?(?:from|von|de|da|van|от|差出人|发件人)\*?\s*[:：]/iu;
const HEADER_NEXT =
  /^\*?(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|fecha|para|asunto|inviato|data|a|oggetto|assunto|verzonden|aan|onderwerp|отправлено|дата|кому|тема|日時|宛先|件名|发送时间|收件人|主题)\*?\s*[:：]/iu;
/** How far below "From:" the next line of a quoted head may stand. */
const HEAD_LINES = 3;

/** A signal is a few lines. Reading stops being quick far beyond this, and nobody writes that much around one. */
export const MAX_OWN_LINES = 2000;

/** Single spaces, no signs that nobody sees, no blanks at the ends. */
export const plainLine = (line: string): string => singleSpaced(line).trim();

/** The same with its ends as they are, for a piece of a line. */
export const singleSpaced = (piece: string): string => piece.replace(INVISIBLE, '').replace(SPACES, ' ');

/** A line as it is looked at, and as it was written: names in it are compared with those of other doors, which rewrite nothing. */
export interface MailLine {
  readonly plain: string;
  readonly raw: string;
}

/** One line more than may be shows that there are too many; the rest is not looked at. */
export function ownLines(text: string): readonly MailLine[] {
  const lines = text.split(LINE_END);
  const own: MailLine[] = [];
  for (let index = 0; index < lines.length && own.length <= MAX_OWN_LINES; index++) {
    const raw = lines[index] as string;
    const line = plainLine(raw);
    if (line.startsWith('>')) continue;
    if (line === '--' || ORIGINAL_MESSAGE.test(line) || FORWARD_BEGINS.test(line)) break;
    const below = (): readonly string[] => lines.slice(index + 1, index + 1 + HEAD_LINES).map(plainLine);
    if (HEADER_FROM.test(line) && below().some((next) => HEADER_NEXT.test(next))) break;
    if (ATTRIBUTION.test(line)) {
      // Marked quotes end where the marks end, and an answer may stand below them. Unmarked ones have no end.
      if (isMarkedQuote(lines, index + 1)) continue;
      break;
    }
    own.push({ plain: line, raw });
  }
  return own;
}

function isMarkedQuote(lines: readonly string[], from: number): boolean {
  for (let i = from; i < lines.length; i++) {
    const line = plainLine(lines[i] as string);
    if (line !== '') return line.startsWith('>');
  }
  return false;
}
